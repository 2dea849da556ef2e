"""An OpenAI-compatible endpoint that knows the truth about pages, and gets it wrong as often as a test wants."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from zlib import crc32

from tests.support.http_stub import Answer, http_stub


@dataclass
class Endpoint:
    """Answers by the URL in the prompt. `reply` makes the content of an answer of a relevance, and may raise."""

    knows: Callable[[str], bool]
    wrong: float = 0.0
    seconds: float = 0.0
    reply: Callable[[int, int], str | bytes] | None = None
    prompts: list[str] = field(default_factory=list)
    heads: list[dict[str, str]] = field(default_factory=list)
    open: int = 0
    most_open: int = 0
    port: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def urls(self) -> list[str]:
        """The pages it was asked about, in order."""
        return [found[1] for prompt in self.prompts if (found := re.search(r"^URL: (.*)$", prompt, re.M))]

    def answer(self, request: BaseHTTPRequestHandler) -> Answer:
        body = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
        prompt = body["messages"][-1]["content"]
        with self._lock:
            self.prompts.append(prompt)
            self.heads.append(dict(request.headers.items()))
            number, self.open = len(self.prompts), self.open + 1
            self.most_open = max(self.most_open, self.open)
        try:
            time.sleep(self.seconds)
            url = self.urls_in(prompt)
            good = self.knows(url) != (crc32(url.encode()) % 1000 < 1000 * self.wrong)
            relevance = 3 if good else 0
            content = json.dumps({"relevance": relevance, "reason": "it says so"})
            if self.reply is not None:
                told = self.reply(number, relevance)
                if isinstance(told, bytes):
                    return Answer(told, 500 if told == b"broken" else 200, "application/json")
                content = told
            return Answer(json.dumps({"choices": [{"message": {"content": content}}]}), kind="application/json")
        finally:
            with self._lock:
                self.open -= 1

    @staticmethod
    def urls_in(prompt: str) -> str:
        found = re.search(r"^URL: (.*)$", prompt, re.M)
        return found[1] if found else ""

    @property
    def options(self) -> tuple[str, ...]:
        return ("--ask", f"http://127.0.0.1:{self.port}/v1", "--ask-model", "stub", "--allow-net", "127.0.0.0/8")


@contextmanager
def teaching(endpoint: Endpoint) -> Iterator[Endpoint]:
    """The endpoint, listening."""
    with http_stub(endpoint.answer) as endpoint.port:
        yield endpoint
