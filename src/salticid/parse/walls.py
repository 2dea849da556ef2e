"""Walls: answers that keep a crawler out - challenges, captchas, consent, log-in, payment, parked domains.

An answer is a wall by its head, or because it is short and bears a mark that only walls bear: the exact title of a
challenge, the script or form that makes it one. A page about captchas or about logging in has neither. Walls are
recognized so that they are not taken for pages; nothing here gets past one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from urllib.parse import parse_qsl, urlsplit

from salticid.model import Wall

LOOKED_AT = 1 << 18
"""Bytes of an answer that are looked at."""
SHORT, VERY_SHORT = 250, 80
"""Words of a page that can be a wall by its title or form; and by a script or a sentence alone."""

_BY_FIELD = {
    "cf-mitigated": {"challenge": Wall.CHALLENGE},
    "x-vercel-mitigated": {"challenge": Wall.CHALLENGE},
    "x-amzn-waf-action": {"challenge": Wall.CHALLENGE, "captcha": Wall.CAPTCHA},
    "sg-captcha": {"challenge": Wall.CAPTCHA},
}
"""What the services in front of a server say of their own answers."""
_REFUSALS = (403, 405, 429, 503)
"""Statuses of answers that may be walls by what they show."""
_BY_STATUS = {401: Wall.LOG_IN, 402: Wall.PAYMENT}
"""A 403 alone says no more than that there is no page, and a 451 that a law is the reason."""

_TITLE = re.compile(rb"<title\b[^>]*+>([^<]{0,300}+)</title", re.IGNORECASE)
_TITLES = (
    (
        Wall.CHALLENGE,
        r"just a moment\W*|attention required! \| cloudflare|making sure you(?:'|\u2019)?re not a bot!?|ddos-guard"
        r"|vercel security checkpoint|client challenge|checking your browser\W*|one moment, please\W*"
        r"|you are being redirected\W*|sucuri website firewall.*|bot verification|verifying your browser\W*",
    ),
    (
        Wall.CAPTCHA,
        r"captcha|robot check|human verification|are you (?:a )?(?:human|robot)\W*|security check"
        r"|access to this page has been denied\W*|verify(?:ing)? (?:that )?you are (?:a )?human\W*|.*sgcaptcha.*",
    ),
    (Wall.CONSENT, r"before you continue(?: to .*)?|we value your privacy|cookie ?wall|privacy gate"),
    (
        Wall.PARKED,
        r"\S+\.\S+ (?:is )?(?:for sale|parked)(?: .*)?|.*\bdomain (?:name )?(?:is |may be )?(?:for sale|parked)\b.*"
        r"|parked domain.*|domain parking.*",
    ),
    (
        Wall.LOG_IN,
        r"(?:.* )?(?:log ?-?in|sign ?-?in|log ?on|authentication required|anmelden|anmeldung|connexion"
        r"|se connecter|iniciar sesi\u00f3n|accedi|inloggen)(?: .*)?",
    ),
)
"""The titles of walls, whole; that of a parked domain or of a log-in proves nothing without its form or script."""
_NEED_MARK = (Wall.LOG_IN, Wall.PARKED, Wall.CONSENT, Wall.CAPTCHA)

_MARKS = (
    (
        Wall.CHALLENGE,
        rb"window\._cf_chl_opt|id=[\"']?anubis_challenge|/\.within\.website/x/(?:cmd/)?anubis|sucuri_cloudproxy_js"
        rb"|/\.well-known/ddos-guard/|window\.gokuProps|sec-if-cpt-container|/_fs-ch-|window\.KPSDK"
        rb"|_Incapsula_Resource\?|/\.basedflare/|__ddg_challenge",
    ),
    (
        Wall.CAPTCHA,
        rb"class=[\"'][^\"'<>]{0,80}(?:g-recaptcha|h-captcha|cf-turnstile)\b",
    ),
    (Wall.CONSENT, rb"<form[^<>]{0,500}\baction=[\"']?[^\"'\s<>]{0,300}(?:consent|privacy-gate|cookiewall)"),
    (
        Wall.PARKED,
        rb"data-adblockkey=|adsense/domains/caf\.js|(?:sedoparking|parkingcrew|bodis|parklogic|hugedomains)\.(?:com|net)/"
        rb"|window\.park\s*=|window\.location\.href\s*=\s*[\"']/lander",
    ),
    (Wall.LOG_IN, rb"<input\b[^<>]{0,500}\btype\s*=\s*[\"']?password"),
)
"""What makes them walls: their scripts and forms."""
_SENTENCES = (
    (Wall.CHALLENGE, rb"checking your browser before accessing|enable javascript and cookies to continue"),
    (
        Wall.CHALLENGE,
        rb"request unsuccessful\. incapsula incident id|please enable javascript to view the page content\.",
    ),
    (
        Wall.CAPTCHA,
        rb"detected unusual traffic from your computer|enter the characters you see below|captcha-delivery\.com"
        rb"|id=[\"']?(?:px-captcha|captcha-form)\b|/\.well-known/(?:sg)?captcha/|/errors/validatecaptcha",
    ),
    (Wall.PARKED, rb"this domain (?:name )?(?:is|may be) (?:parked|for sale)|is parked free, courtesy of"),
)
"""What they say, or hold, where they say little else."""

_LOGIN_PLACE = re.compile(
    r"(?:log|sign)[-_]?in|log[-_]?on|(?:wp-)?login|servicelogin|signin|authenticate|sessions?", re.IGNORECASE
)
_LOGIN_HOST = re.compile(r"(?:login|signin|sso|idp|auth|accounts?|passport)\.", re.IGNORECASE)
_CONSENT_PLACE = re.compile(r"(?:cookie-?)?consent|cookie-?wall|privacy-?gate|collectconsent", re.IGNORECASE)
_CONSENT_HOST = re.compile(r"(?:consent|guce|privacy-?gate|myprivacy)\.", re.IGNORECASE)
_BACK = re.compile(
    r"(?:next|continue|service|goto|dest|destination|from|back|rurl|samlrequest|client_id|(?:return|redirect)[-_a-z]*"
    r"|gcreferrer|callbackurl|target)",
    re.IGNORECASE,
)
"""A parameter that tells a log-in or consent page where a reader came from."""


def wall_by_head(status: int, fields: Mapping[str, str]) -> Wall | None:
    """The wall that status and fields, names in lower case, give away; None if they give none away.

    >>> wall_by_head(403, {"cf-mitigated": "challenge"}), wall_by_head(401, {}), wall_by_head(403, {})
    (<Wall.CHALLENGE: 'challenge'>, <Wall.LOG_IN: 'log-in'>, None)
    """
    for name, meanings in _BY_FIELD.items():
        if (wall := meanings.get(fields.get(name, "").strip().lower())) is not None:
            return wall
    if status == 403 and "x-datadome" in fields:
        return Wall.CAPTCHA
    return _BY_STATUS.get(status)


def wall_of_refusal(url: str, html: bytes | None, status: int) -> Wall | None:
    """The wall that an answer shows whose status is that of no page; None if it shows none."""
    return wall_of(url, html, 0) if html is not None and status in _REFUSALS else None


def wall_of(url: str, html: bytes, words: int) -> Wall | None:
    """The wall that the HTML of the answer at `url` is; None for a page, as all are that have more than SHORT words.

    >>> wall_of("http://a.example/", b"<title>Just a moment...</title><p>Enable JavaScript", 5)
    <Wall.CHALLENGE: 'challenge'>
    >>> wall_of("http://a.example/", b"<title>Log in</title><p>Call login() with a password.", 7) is None
    True
    """
    if words > SHORT:
        return None
    html = html[:LOOKED_AT]
    title = _title(html)
    titled = [wall for wall, pattern in _TITLES if re.fullmatch(pattern, title, re.IGNORECASE)]
    marked = [wall for wall, pattern in _MARKS if re.search(pattern, html, re.IGNORECASE)]
    for wall in Wall:
        if wall in titled and (wall in marked or wall not in _NEED_MARK):
            return wall
    if words <= VERY_SHORT:
        for wall in (Wall.CHALLENGE, Wall.PARKED):
            if wall in marked:
                return wall
        for wall, pattern in _SENTENCES:
            if re.search(pattern, html, re.IGNORECASE):
                return wall
    return _by_address(url, words, marked)


def _title(html: bytes) -> str:
    match = _TITLE.search(html)
    return " ".join(unescape(match[1].decode("utf-8", "replace")).split()) if match else ""


def _by_address(url: str, words: int, marked: list[Wall]) -> Wall | None:
    """The wall that readers are sent to, by an address that says what it is and where they came from."""
    parts = urlsplit(url)
    if not any(_BACK.fullmatch(name) for name, _ in parse_qsl(parts.query, max_num_fields=1000)):
        return None
    last = parts.path.rstrip("/").rpartition("/")[2].partition(".")[0]
    if _LOGIN_PLACE.fullmatch(last) or (_LOGIN_HOST.match(parts.netloc) and Wall.LOG_IN in marked):
        return Wall.LOG_IN if Wall.LOG_IN in marked or words <= VERY_SHORT else None
    if _CONSENT_PLACE.fullmatch(last) or _CONSENT_HOST.match(parts.netloc):
        return Wall.CONSENT
    return None
