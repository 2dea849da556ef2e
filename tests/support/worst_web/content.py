"""What servers put into pages: floods, lies, and work for parsers; and where their links and rules lead."""

from __future__ import annotations

import gzip

from tests.support.hostile import in_parts, moved, page, silence
from tests.support.walls import WALLS
from tests.support.worst_web.network import MEGABYTE, OK, deflated
from tests.support.worst_web.row import NEVER, Row, html, row

GIF = b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0!\xf9\x04\0\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"
MANY = range(200_000)
NO_LINKS = [
    *(
        b"javascript:x data:,x http:// http://[:: // \\\\x http://%00/ http://x:99999/ mailto: file:///etc/passwd"
    ).split(),
    *(b"gopher://x ws://x http://xn--/ http://1.1.1.1.1/ http://10.0.0.1:0/ ///// ?# \xff\xfe").split(),
    b"http://a b/",
    b"http://" + b"a" * 300 + b".example/",
    "http://\u202e/".encode(),
    b"?" + b"q" * 100_000,
]

BUSY = [
    row("a million links", "ok", html(b"".join(b"<a href=/l%d>x</a>" % n for n in range(1_000_000)))),
    row("300,000 tags deep", "unparsable", html(b"<div>" * 300_000)),
    row("300,000 names deep", "unparsable", html(b"".join(b"<x%d>" % n for n in range(100_000)))),
    row(
        "200,000 attributes",
        "ok|unparsable",
        html(b"<p " + b" ".join(b"a%d" % n for n in MANY) + b">spiders"),
    ),
    row(
        "formatting opened again and again",
        "unparsable",
        html(b"".join(b"<p><b id=%d>" % n for n in range(2_000))),
    ),
    row(
        "formatting in disguise",
        "unparsable",
        html(b"".join(b"<p><b id=%d><!--</b>-->" % n for n in range(4_000))),
    ),
    row(
        "formatting over paragraphs",
        "unparsable",
        html(b"".join(b"<i id=%d>" % n for n in range(2_000)) + b"<p>x</p>" * 9_000),
    ),
    row(
        "formatting closed out of order",
        "unparsable",
        html(b"".join(b"<b id=%d><div>" % n for n in range(2_400)) + b"</b>" * 2_400),
    ),
    row("tags far down", "unparsable", html(b"<div>" * 4_900 + b"</p>" * 200_000)),
    row("tables in tables", "unparsable|ok", html(b"<table><tr><td>" * 60_000)),
    row("selects in selects", "ok|unparsable", html(b"<select><option>" * 60_000)),
    row("templates in templates", "unparsable|ok", html(b"<template>" * 90_000)),
    row("drawings in drawings", "unparsable|ok", html(b"<svg><foreignObject>" * 40_000)),
    row("anchors in anchors", "unparsable|ok", html(b"<a href=x>" * 90_000)),
    row("forms in forms", "unparsable|ok", html(b"<form><fieldset>" * 50_000)),
    row("entities by the thousand", "ok", html(b"&notin;&CounterClockwiseContourIntegral;&#x1F577;" * 20_000)),
    row("an entity without end", "ok", html(b"&" + b"a" * 900_000)),
    row(
        "entities in entities",
        "ok",
        page(b'<!DOCTYPE x [<!ENTITY a "&b;&b;"><!ENTITY b "&a;&a;">]><p>&a; spiders'),
    ),
    row("a comment without end", "ok", html(b"<!--" + b"- " * 400_000)),
    row("comments half closed", "ok", html(b"<!--" * 200_000)),
    row("a tag without end", "ok", html(b"<" + b"a" * 900_000)),
    row("nothing but open signs", "ok", html(b"<" * 900_000)),
    row("one word of a megabyte", "ok", html(b"a" * 900_000)),
    row(
        "200,000 different words",
        "ok",
        html(b" ".join(b"%x" % n for n in MANY).translate(bytes.maketrans(b"0123456789", b"ghijklmnop"))),
    ),
    row("marks of our own", "ok", html(b"\x01\x02\x03\x04&#1;&#2;&#x3;" * 50_000)),
    row("accents on one letter", "ok", html(b"a" + "\u0301".encode() * 400_000)),
    row("a title of a megabyte", "ok", page(b"<title>" + b"spiders " * 120_000)),
    row("a script without end", "ok", html(b"<script>" + b"x=1;" * 200_000)),
    row("headings by the thousand", "ok", html(b"<h1>a</h1>" * 90_000)),
    row("images by the thousand", "ok", html(b"<a href=x><img alt=y></a>" * 40_000)),
    row("nothing but NUL bytes", "ok|not html", page(b"\0" * 900_000)),
]

LYING = [
    row("NUL bytes between letters", "ok", html(b"\0s\0p\0i" * 1000)),
    row("a charset that nobody knows", "ok", page(b"<p>spiders", kind="text/html; charset=klingon")),
    row("a charset that is no charset", "ok", page(b"<p>spiders", kind="text/html; charset=zlib")),
    row(
        "a charset of 60,000 letters",
        "broken answer|ok",
        page(b"<p>spiders", kind="text/html; charset=" + "x" * 60_000),
    ),
    row("the wrong charset", "ok", page("<p>Spinnen mögen Süßes".encode(), kind="text/html; charset=utf-16")),
    row(
        "UTF-7",
        "ok",
        page(b"<meta charset=utf-7><p>+ADw-script+AD4- spiders", kind="text/html; charset=utf-7"),
    ),
    row("a mark of another charset", "ok", page(b"\xff\xfe" + b"<p>spiders" * 100)),
    row("three marks", "ok", page(b"\xef\xbb\xbf\xff\xfe\xef\xbb\xbf<p>spiders")),
    row("half a character", "ok", page("<p>spiders ü".encode()[:-1], kind="text/html; charset=utf-8")),
    row("escapes of Japanese", "ok", page(b"<p>" + b"\x1b$B" * 100_000, kind="text/html; charset=iso-2022-jp")),
    row("a picture called a page", "ok|not html", page(GIF)),
    row("a page called a picture", "not html", page(b"<p>spiders", kind="image/gif")),
    row("a film called a page", "ok|not html", page(b"\0\0\0\x20ftypmp42" + bytes(range(256)) * 3000)),
    row("a page without a type", "ok", page(b"<p>spiders", kind="")),
    row("a type that is none", "not html", page(b"<p>spiders", kind="texthtml; ;;;=")),
    row("an empty page", "ok", page(b"")),
    row("soft 404", "ok", page(b"<title>404 Not Found</title><p>This page is not there.")),
    row("a canonical link elsewhere", "ok", html(b"<link rel=canonical href=http://honest.example/>")),
    row("canonical links by the thousand", "ok", html(b"<link rel=canonical href=/x>" * 20_000)),
    row("a base without sense", "ok", html(b"<base href='javascript:x'><a href=y>x</a><base href=http://[/>")),
    row("a base in a private place", "ok", html(b"<base href=http://10.0.0.1/><a href=/secret>x</a>")),
    row("a refresh to itself", "ok", html(b"<meta http-equiv=refresh content='0;url=/'>")),
    row("links that are none", "ok", html(b"".join(b"<a href='%b'>x</a>" % link for link in NO_LINKS))),
    row(
        "a page of links to the inside",
        "ok",
        html(b"<a href=http://10.0.0.1/>x</a><a href=http://[::1]/>x</a><a href=http://169.254.169.254/>x</a>"),
    ),
]

LEADING = [
    row("a circle of one", "redirect loop|dead", moved("/"), most_asked=11),
    row("a circle of two", "redirect loop", moved("/b"), b=moved("/"), most_asked=6),
    row(
        "a way without end",
        "redirect loop",
        moved("/0"),
        most_asked=1,
        **{str(n): moved(f"/{n + 1}") for n in range(40)},
    ),
    row("sent to javascript", "dead", moved("javascript:alert(1)")),
    row("sent to a file", "dead", moved("file:///etc/passwd")),
    row("sent to data", "dead", moved("data:text/html,<p>spiders")),
    row("sent to nowhere", "ok|dead", moved("")),
    row("sent to no host", "dead", moved("http://")),
    row("sent far", "dead", moved("/" + "x" * 5_000)),
    row("sent beyond all length", "broken answer|dead", moved("/" + "x" * 100_000)),
    row(
        "sent in unicode",
        "dead",
        in_parts(OK.replace(b"200", b"302") + "Location: /ü\u202e\r\nContent-Length: 0\r\n\r\n".encode()),
    ),
    row(
        "sent in bytes that are no text",
        "dead",
        in_parts(OK.replace(b"200", b"302") + b"Location: /\xff\xfe\r\nContent-Length: 0\r\n\r\n"),
    ),
    row(
        "sent with a line feed",
        "dead|broken answer",
        in_parts(OK.replace(b"200", b"302") + b"Location: /a\r\n b\nX-Y: z\r\nContent-Length: 0\r\n\r\n"),
    ),
    row(
        "sent twice at once",
        "ok|dead",
        page(b"", "Location: /a", "Location: /b", status=302),
        a=page(b"<p>spiders"),
        b=page(b"<p>others"),
    ),
    row(
        "sent with a password",
        "ok",
        moved("http://me:secret@sent-with-a-password.example/a"),
        a=page(b"<p>spiders"),
    ),
    row("sent to another port", "ok|dead", moved("http://sent-to-another-port.example:81/"), most_asked=12),
]

ROBOTS = [
    row("rules that are a page", "ok", page(b"<p>spiders"), robots=page(b"<!DOCTYPE html><p>Disallow: /")),
    row(
        "rules without end",
        "ok",
        page(b"<p>spiders"),
        robots=in_parts(OK + b"\r\nUser-agent: *\n", b"Disallow: /x\n" * 10_000, forever=True),
    ),
    row(
        "rules in drops",
        NEVER,
        page(b"<p>spiders"),
        robots=in_parts(OK + b"\r\n", b"a", forever=True, pause=0.05),
        most_asked=0,
    ),
    row("rules in trouble", NEVER, page(b"<p>spiders"), robots=page(b"", status=500), most_asked=0),
    row(
        "rules that ask to come later",
        NEVER,
        page(b"<p>spiders"),
        robots=page(b"", "Retry-After: 999999", status=429),
        most_asked=0,
    ),
    row("rules that are silent", NEVER, page(b"<p>spiders"), robots=silence, most_asked=0),
    row("rules reset", NEVER, page(b"<p>spiders"), robots=in_parts(close=True), most_asked=0),
    row("rules in a circle", "ok", page(b"<p>spiders"), robots=moved("/robots.txt")),
    row("rules elsewhere", "ok", page(b"<p>spiders"), robots=moved("http://honest.example/robots.txt")),
    row(
        "rules in a private place",
        "refused address",
        page(b"<p>spiders"),
        robots=moved("http://169.254.169.254/robots.txt"),
        most_asked=0,
    ),
    row(
        "rules in a bomb",
        "ok",
        page(b"<p>spiders"),
        robots=page(deflated(31), "Content-Encoding: gzip", kind="text/plain"),
    ),
    row(
        "rules made of stars",
        "ok|robots",
        page(b"<p>spiders"),
        robots=page(b"User-agent: *\n" + b"Disallow: /*a*a*a*a*a*a*a*b\n" * 18_000, kind="text/plain"),
    ),
    row(
        "rules with NUL bytes",
        "robots",
        page(b"<p>spiders"),
        robots=page(b"User-agent: *\0\nDisallow\0: /\n", kind="text/plain"),
        most_asked=0,
    ),
    row(
        "rules for a delay of years",
        NEVER,
        page(b"<p>spiders"),
        robots=page(b"User-agent: *\nCrawl-delay: 1e308\nCrawl-delay: 99999999999\n", kind="text/plain"),
        most_asked=0,
    ),
    row(
        "rules that forbid all",
        "robots",
        page(b"<p>spiders"),
        robots=page(b"User-agent: *\nDisallow: /", kind="text/plain"),
        most_asked=0,
    ),
    row(
        "rules for agents by the thousand",
        "ok",
        page(b"<p>spiders"),
        robots=page(b"".join(b"User-agent: a%d\n" % n for n in range(30_000)) + b"Disallow: /", kind="text/plain"),
    ),
]

SITEMAPS = [
    row(
        "a map that is a bomb",
        "ok",
        html(b"about jumping spiders"),
        sitemap=page(deflated(31), "Content-Encoding: gzip", kind="text/xml"),
    ),
    row(
        "a map of itself",
        "ok",
        html(b"about jumping spiders"),
        sitemap=page(b"<sitemapindex>" + b"<loc>http://a-map-of-itself.example/sitemap.xml</loc>" * 9_000),
    ),
    row(
        "a map without end",
        "ok",
        html(b"about jumping spiders"),
        sitemap=in_parts(
            OK + b"\r\n<urlset>",
            b"<url><loc>http://a-map-without-end.example/x</loc>" * 5_000,
            forever=True,
        ),
    ),
    row(
        "a map with entities",
        "ok",
        html(b"about jumping spiders"),
        sitemap=page(
            b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset>'
            b"<loc>http://a-map-with-entities.example/&a;</loc></urlset>"
        ),
    ),
    row(
        "a packed map in a packed map",
        "ok",
        html(b"about jumping spiders"),
        sitemap=page(gzip.compress(gzip.compress(MEGABYTE))),
    ),
]

LIKED = html(b"about jumping spiders <link rel=alternate type=application/rss+xml href=/feed>")
ITEM = b"<item><link>/x%d</link><title>jumping spiders</title></item>"
LAUGHS = b"".join(b'<!ENTITY l%d "%b">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 10))

FEEDS = [
    row(
        "a feed that is a bomb",
        "ok",
        LIKED,
        feed=page(deflated(31), "Content-Encoding: gzip", kind="application/rss+xml"),
    ),
    row(
        "a feed of a billion laughs",
        "ok",
        LIKED,
        feed=page(
            b'<!DOCTYPE rss [<!ENTITY l0 "ha">' + LAUGHS + b"]><rss><item><link>/&l9;</link></item></rss>",
            kind="application/rss+xml",
        ),
    ),
    row(
        "a feed of secret files",
        "ok",
        LIKED,
        feed=page(
            b'<!DOCTYPE rss [<!ENTITY a SYSTEM "file:///etc/passwd"><!ENTITY % b SYSTEM "http://10.0.0.1/"> %b;]>'
            b"<rss><item><link>/&a;</link></item></rss>"
        ),
    ),
    row("a feed without end", "ok", LIKED, feed=in_parts(OK + b"\r\n<rss>", ITEM % 1 * 5_000, forever=True)),
    row("a feed of everything", "ok", LIKED, feed=page(b"<rss>" + b"".join(ITEM % n for n in range(15_000)))),
    row("a feed in a feed", "ok", LIKED, feed=page(b"<rss>" + b"<channel><item>" * 60_000)),
    row("a feed that is silent", "ok", LIKED, feed=silence),
    row("a feed of itself", "ok", LIKED, feed=moved("/feed")),
    row("a feed in a private place", "ok", LIKED, feed=moved("http://169.254.169.254/feed")),
    row(
        "feeds by the thousand",
        "ok",
        html(b"about jumping spiders" + b"<link rel=alternate type=application/rss+xml href=/%d>" % 1 * 20_000),
    ),
]

TEXTS = [
    row(
        "a text of links",
        "ok",
        page(b"spiders\n\n" + b"http://a-text-of-links.example/x " * 28_000, kind="text/plain"),
    ),
    row("a text of one link", "ok", page(b"spiders http://" + b".,;:" * 250_000, kind="text/plain")),
    row("a text of paragraphs", "ok|unparsable", page(b"spiders\n\n" * 110_000, kind="text/plain")),
    row("a text of tags", "ok", page(b"<spiders>&" * 100_000, kind="text/plain")),
    row("a text that is none", "not html", page(GIF, kind="text/plain")),
]


WALLS_MET = [
    row(
        f"wall {told.name}",
        "kept out",
        page(told.html, *(f"{name}: {value}" for name, value in told.fields.items()), status=told.status),
        most_asked=1,
    )
    for told in WALLS
    if told.path == "/a"
]


def content() -> list[Row]:
    """All of them."""
    return [*BUSY, *LYING, *WALLS_MET, *LEADING, *ROBOTS, *SITEMAPS, *FEEDS, *TEXTS]
