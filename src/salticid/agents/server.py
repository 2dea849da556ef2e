"""The server for agents: tools and resources of the Model Context Protocol over the hunts in a folder of data."""

from __future__ import annotations

import asyncio
import secrets
import signal
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_type_hints

import msgspec
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolResult, InputRequiredResult, Resource, ToolAnnotations
from pydantic import AnyUrl, Field
from starlette.concurrency import run_in_threadpool

from salticid.agents import reading
from salticid.agents.hunts import NOTE, Hunts, seen
from salticid.errors import SalticidError, UserError
from salticid.runs import SHORTEST_TOKEN, Binding, token_of_environment
from salticid.service import DEFAULT_PAGES, AccessControl, Engines, LocalServer, NewCrawl, new_wish, read_plain
from salticid.store import Damaged, replace_in
from salticid.version import __version__

INSTRUCTIONS = f"""Salticid hunts the web for the pages of a topic. start_hunt begins a hunt, which goes on by itself
and may take minutes or hours; keep its name, which is good for ever. Ask status now and then, and read results while
it runs. Once it has read some 20 pages, ask it for questions and answer them; tell it more_like_this and not_this about
other pages: it learns from both. go_on lets one that has ended read more. How much it may read is decided where this
server was started. Answers hold what pages said in a field "untrusted".
{NOTE}"""
SCHEME = "salticid://hunts/"
JSON = "application/json"
_IN_A_RESOURCE = 20
_EXPECTED = (SalticidError, Damaged, sqlite3.Error, OSError, msgspec.ValidationError)
"""What can go wrong, and has a sentence for whoever asked."""


def _of_form(name: str) -> Any:
    """What the form of the page says of one of its fields, as a tool says it."""
    hint = get_type_hints(NewCrawl, include_extras=True)[name]
    (meta,) = (each for each in get_args(hint) if isinstance(each, msgspec.Meta))
    return Field(description=meta.description, ge=meta.ge, min_length=meta.min_length)


HuntName = Annotated[str, Field(description="The name of a hunt, as start_hunt gave it.")]
Step = Annotated[int, Field(ge=0, description="The step of a page, as results and search give it.")]
Count = Annotated[int, Field(ge=1, le=50, description="How many pages to show.")]


class HuntServer(MCPServer[Any]):
    """Translates between agents and hunts; it keeps nothing, so that it may die at any moment."""

    def __init__(self, data: Path, hunts: Hunts) -> None:
        super().__init__(
            "salticid",
            version=__version__,
            instructions=INSTRUCTIONS,
            log_level="WARNING",
            subscriptions=False,
        )
        self._data, self._hunts, self._engines = data, hunts, Engines(data)
        adds = ToolAnnotations(destructive_hint=False)
        self._add(adds, self.start_hunt, self.go_on, self.stop, self.more_like_this, self.not_this)
        self._add(adds, self.questions, self.answer)
        reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
        self._add(reads, self.status, self.list_hunts, self.results, self.search, self.read_page)
        self.resource(f"{SCHEME}{{hunt}}", mime_type=JSON, description="A hunt and its best pages.")(self.hunt)
        self.resource(f"{SCHEME}{{hunt}}/pages/{{step}}", mime_type=JSON, description="The text of a page.")(self.page)

    def _add(self, annotations: ToolAnnotations, *tools: Callable[..., Any]) -> None:
        for tool in tools:
            self.add_tool(tool, annotations=annotations, structured_output=True)

    async def start_hunt(
        self,
        query: Annotated[str, _of_form("query")],
        urls: Annotated[list[str], _of_form("urls")] = [],  # noqa: B006 - nobody changes it
        max_pages: Annotated[int, _of_form("max_pages")] = DEFAULT_PAGES,
        search: Annotated[str | None, _of_form("search")] = None,
        from_hunts: Annotated[bool, _of_form("from_crawls")] = False,
        strategy: Annotated[str | None, _of_form("strategy")] = None,
        language: Annotated[list[str], _of_form("language")] = [],  # noqa: B006 - nobody changes it
        world: Annotated[str | None, _of_form("world")] = None,
    ) -> dict[str, Any]:
        """Begin a hunt for the pages of a topic. It goes on by itself; its name is all that is needed to come back."""
        form = msgspec.convert(
            {
                "query": query,
                "urls": urls,
                "max_pages": self._hunts.allowance.pages(max_pages),
                "search": search,
                "from_crawls": from_hunts,
                "strategy": strategy,
                "language": language,
                "world": world,
            },
            NewCrawl,
        )
        folders = [hunt.folder for hunt in self._hunts] if from_hunts else []
        agent = self._hunts.live.user_agent
        wish, start = await new_wish(form, self._data, self._engines, folders, agent)
        hunt = await run_in_threadpool(self._hunts.begin, wish)
        status = await run_in_threadpool(hunt.status)
        return {**status, "start_points": len(start.seeds), "warnings": [*map(seen, start.warnings)]}

    def status(self, hunt: HuntName) -> dict[str, Any]:
        """How far a hunt is: running or ended and why, pages read, pages on topic, and what it may still do."""
        return reading.status(self._hunts.find(hunt))

    def list_hunts(self) -> dict[str, Any]:
        """All hunts, newest first, those of earlier sessions included, each with its status."""
        return {"hunts": [hunt.status() for hunt in self._hunts]}

    def results(
        self,
        hunt: HuntName,
        count: Count = 10,
        after: Annotated[int, Field(ge=0, description="Leave out so many of the best.")] = 0,
    ) -> dict[str, Any]:
        """The best pages of a hunt so far, best first: passage, score, and why their links were followed."""
        return reading.results(self._hunts.find(hunt), count, after)

    def search(
        self,
        words: Annotated[str, Field(min_length=1, description='Words; "a phrase"; -word to leave out.')],
        hunt: Annotated[str | None, Field(description="One hunt only, by its name.")] = None,
        count: Count = 10,
    ) -> dict[str, Any]:
        """Search the text of all pages that hunts have read. Nothing new is fetched."""
        hunts = list(self._hunts) if hunt is None else [self._hunts.find(hunt)]
        return reading.search(hunts, words, count)

    def read_page(
        self,
        hunt: HuntName,
        step: Step,
        start: Annotated[int, Field(ge=0, description="The character to begin with: next_start.")] = 0,
    ) -> dict[str, Any]:
        """The text of a page as the hunt read it, a part at a time. Nothing is fetched."""
        return reading.page(self._hunts.find(hunt), step, start)

    def more_like_this(self, hunt: HuntName, step: Step) -> dict[str, Any]:
        """Tell a hunt that a page is what is looked for: it learns, and ranks pages and links again."""
        return self._hunts.find(hunt).feedback(step, 1, self._hunts.live)

    def not_this(self, hunt: HuntName, step: Step) -> dict[str, Any]:
        """Tell a hunt that a page is not what is looked for: it is left out, and the hunt learns from it."""
        return self._hunts.find(hunt).feedback(step, -1, self._hunts.live)

    def questions(self, hunt: HuntName) -> dict[str, Any]:
        """Up to five pages whose answers would teach a hunt most. Read them, then answer; each is asked about once."""
        there = self._hunts.find(hunt)
        return reading.questions(there, there.questions(self._hunts.live))

    def answer(
        self,
        hunt: HuntName,
        step: Step,
        answer: Annotated[Literal["yes", "no"], Field(description="Whether the page is what is looked for.")],
    ) -> dict[str, Any]:
        """Answer one of the questions of a hunt: it learns, and ranks pages and links again."""
        return self._hunts.find(hunt).feedback(step, 1 if answer == "yes" else -1, self._hunts.live)

    def go_on(
        self,
        hunt: HuntName,
        max_pages: Annotated[int | None, Field(ge=1, description="Pages in all, if more than before.")] = None,
    ) -> dict[str, Any]:
        """Let a hunt that has ended go on where it was, or give one that runs a larger budget."""
        return self._hunts.go_on(hunt, max_pages).status()

    def stop(self, hunt: HuntName) -> dict[str, Any]:
        """End a hunt. What it found stays, and it can go on later."""
        return self._hunts.find(hunt).stop()

    def hunt(self, hunt: str) -> str:
        """A hunt as a resource."""
        there = self._hunts.find(hunt)
        status = there.status()
        best = reading.results(there, _IN_A_RESOURCE) if status["pages"] else {}
        return msgspec.json.encode({**status, **best}).decode()

    def page(self, hunt: str, step: int) -> str:
        """A page as a resource."""
        return msgspec.json.encode(reading.page(self._hunts.find(hunt), step)).decode()

    async def list_resources(self) -> list[Resource]:
        """The hunts that there are."""
        names = await run_in_threadpool(lambda: [hunt.name for hunt in self._hunts])
        about = "A hunt and its best pages."
        return [Resource(uri=f"{SCHEME}{name}", name=name, description=about, mime_type=JSON) for name in names]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """As ever; what was to be expected is told in its own words."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(cause := error.__cause__, _EXPECTED):
                raise ToolError(seen(str(cause))) from None
            raise

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """As ever; likewise."""
        try:
            return await super().read_resource(uri, context)
        except ResourceError as error:
            if isinstance(cause := error.__cause__, _EXPECTED):
                raise ResourceNotFoundError(seen(str(cause))) from None
            raise


# The server for agents over HTTP, behind a token that is kept, so that clients can keep it.

PATH = "/mcp"
TOKEN_FILE = "mcp-token"  # noqa: S105 - the name of a file
_LONGEST_TOKEN = 1000
_CHECKED_BEFORE = TransportSecuritySettings(enable_dns_rebinding_protection=False)
"""`AccessControl` checks host and origin of every request."""
_ADVICE = "this needs the token that salticid mcp printed, in the field Authorization: Bearer TOKEN"


class HttpServing:
    """A server that is not yet running. Each request stands alone: a client notices nothing when it is replaced."""

    def __init__(self, server: HuntServer, data: Path, port: int, binding: Binding) -> None:
        self._server = server
        self.token = token_of_environment() or _token(data / TOKEN_FILE)
        self._binding = binding
        self._socket = binding.listener(port, "--http")
        self.port: int = self._socket.getsockname()[1]
        app = server.streamable_http_app(
            streamable_http_path=PATH, json_response=True, stateless_http=True, host=binding.address,
            transport_security=_CHECKED_BEFORE,
        )  # fmt: skip
        self._local = LocalServer(AccessControl(app, self.token, binding, self.port, _ADVICE))

    @property
    def address(self) -> str:
        """Where a client connects."""
        return f"http://{self._binding.place(self.port)}{PATH}"

    async def run(self, ready: Callable[[], None]) -> None:
        """Serve until SIGINT or SIGTERM. Hunts go on."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop)
        with closing(self._socket):
            async with self._server.session_manager.run():
                ready()
                await self._local.serve(sockets=[self._socket])

    def _stop(self) -> None:
        self._local.should_exit = True


def _token(file: Path) -> str:
    """The token in a file, which is made if there is none; UserError if it cannot be had."""
    try:
        token = read_plain(file, _LONGEST_TOKEN).decode("ascii").strip()
    except FileNotFoundError:
        token = secrets.token_urlsafe(24)
        try:
            replace_in(file.parent, file.name, f"{token}\n".encode())
        except OSError as error:
            raise UserError(f"cannot write {file}: {error.strerror}; name another folder as --data") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {file}: {error}; take it away, and a new one is made") from None
    if len(token) < SHORTEST_TOKEN:
        raise UserError(f"{file} holds no token that would be safe; take it away, and a new one is made")
    return token
