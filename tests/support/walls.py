"""Answers as walls give them, with the marks of the usual ones; and pages that speak of walls and are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from salticid.model import Wall
from salticid.parse import wall_by_head, wall_of, wall_of_refusal


@dataclass(frozen=True)
class Told:
    """An answer, and the wall that it is."""

    name: str
    wall: Wall | None
    html: bytes = b""
    path: str = "/a"
    status: int = 200
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://site.example{self.path}"

    def wall_found(self) -> Wall | None:
        if (wall := wall_by_head(self.status, self.fields)) is not None:
            return wall
        if self.status != 200:
            return wall_of_refusal(self.url, self.html, self.status)
        return wall_of(self.url, self.html, len(self.html.replace(b"<", b" <").replace(b">", b"> ").split()))


def _page(title: str, body: str) -> bytes:
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>".encode()


PASSWORD = (
    "<form action=/session method=post>Name <input name=n> <input type='password' name=p><input type=submit></form>"
)

WALLS = [
    Told(
        "cloudflare by field",
        Wall.CHALLENGE,
        _page("Just a moment...", ""),
        status=403,
        fields={"cf-mitigated": "challenge"},
    ),
    Told("cloudflare by field, busy", Wall.CHALLENGE, status=503, fields={"cf-mitigated": "challenge"}),
    Told("cloudflare without the field", Wall.CHALLENGE, _page("Just a moment...", "wait"), status=403),
    Told("vercel", Wall.CHALLENGE, status=429, fields={"x-vercel-mitigated": "challenge"}),
    Told("amazon", Wall.CAPTCHA, status=405, fields={"x-amzn-waf-action": "captcha"}),
    Told("datadome", Wall.CAPTCHA, b"<script src=https://ct.captcha-delivery.com/c.js></script>", status=403),
    Told("basic authentication", Wall.LOG_IN, status=401, fields={"www-authenticate": "Basic realm=x"}),
    Told("payment", Wall.PAYMENT, status=402),
    Told(
        "anubis",
        Wall.CHALLENGE,
        _page("Making sure you&#39;re not a bot!", "<script id='anubis_challenge' type=application/json>{}</script>"),
    ),
    Told("checking the browser", Wall.CHALLENGE, _page("site.example", "Checking your browser before accessing")),
    Told("incapsula", Wall.CHALLENGE, b"<iframe src='/_Incapsula_Resource?x=1'>Request unsuccessful.</iframe>"),
    Told("recaptcha", Wall.CAPTCHA, _page("Are you a human?", "<form><div class='g-recaptcha'></div></form>")),
    Told(
        "unusual traffic", Wall.CAPTCHA, _page("Sorry", "Our systems have detected unusual traffic from your computer")
    ),
    Told(
        "consent by its form",
        Wall.CONSENT,
        _page("Before you continue to the Site", "<form action='https://consent.site.example/save'>Accept all</form>"),
    ),
    Told(
        "consent by its address",
        Wall.CONSENT,
        _page("Your choice", "Accept or pay"),
        path="/cookiewall?continue=http%3A%2F%2Fsite.example%2Fa",
    ),
    Told("log-in by its form", Wall.LOG_IN, _page("Sign in - Site", PASSWORD)),
    Told("log-in by its address", Wall.LOG_IN, _page("Site", "loading"), path="/users/sign_in?return_to=%2Fa"),
    Told("log-in in German", Wall.LOG_IN, _page("Anmelden", PASSWORD)),
    Told(
        "parked",
        Wall.PARKED,
        b"<!doctype html><html data-adblockkey='MFww'><title>site.example</title><p>Related searches",
    ),
    Told(
        "for sale",
        Wall.PARKED,
        _page("site.example is for sale", "<script>window.park = 'x'</script>This domain is for sale"),
    ),
]
PAGES_ABOUT = [
    Told("about captchas", None, _page("CAPTCHA", "A CAPTCHA is a test. See reCAPTCHA, hCaptcha and Turnstile.")),
    Told("how to log in", None, _page("Log in", "Call login(user, password) and keep the token."), path="/docs/login"),
    Told(
        "the class of a widget",
        None,
        _page("Widgets", 'Write &lt;div class="g-recaptcha"&gt; into the form, or &lt;input type=password&gt;.'),
    ),
    Told("a contact form", None, _page("Contact us", "Write to us <form><div class='g-recaptcha'></div></form>")),
    Told("a log-in box beside a text", None, _page("Spider club", f"We meet on Mondays. {PASSWORD}")),
    Told("about parking", None, _page("Domain parking", "Parking a domain name means to register it without a site.")),
    Told("about consent", None, _page("Cookie consent", "Ask for consent before you set a cookie."), path="/consent"),
    Told("about a challenge", None, _page("Why it says: Just a moment...", "The service checks the browser.")),
    Told("not found", None, _page("404 Not Found", "gone"), status=404),
    Told("forbidden", None, _page("403 Forbidden", "You may not read this."), status=403),
]
