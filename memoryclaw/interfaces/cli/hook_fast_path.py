"""`hook pre` and `hook post`: JSON in, JSON out, always in time and with exit code 0.

A host runs these at every prompt, so they avoid Click and everything else that only people need.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from memoryclaw import rooms
from memoryclaw.connect import CLAUDE_CODE, HOSTS, hooks
from memoryclaw.connect.hooks import context_of, post_answer
from memoryclaw.daemon.client import root_of
from memoryclaw.errors import InputError, MemoryClawError

if TYPE_CHECKING:
    from memoryclaw.app import App

_OPTIONS = {"--vault": "vault", "--host": "host"}
_MOST_BYTES = 32 * 1024 * 1024
_READING = {"pre": hooks.PATIENCE, "post": 10.0}  # seconds for the host to hand over what it has


def hook(args: Sequence[str]) -> int:
    """Answers `pre …` or `post …`; the exit code is 0, because hosts take others for a veto."""
    begun, verb = time.monotonic(), args[0]
    answer: dict[str, Any] = {}
    host = CLAUDE_CODE
    try:
        # `--json` changes nothing.
        options: dict[str, str] = {}
        waiting = [arg for arg in args[1:] if arg != "--json"]
        while waiting:
            name, equals, value = waiting.pop(0).partition("=")
            if name not in _OPTIONS or not (equals or waiting):
                raise InputError(f"a hook does not know {name!r}; it takes --vault DIR and --host HOST")
            options[_OPTIONS[name]] = value if equals else waiting.pop(0)
        if (chosen := options.get("host", host)) not in HOSTS:
            raise InputError(f"{chosen!r} is not a known host; choose one of {', '.join(HOSTS)}")
        host = chosen
        root = root_of(options.get("vault"))
        event = _given(begun + _READING[verb])
        end = begun + hooks.PATIENCE
        answer = _pre(event, root, host, end) if verb == "pre" else _post(event, root, host)
    except (MemoryClawError, OSError) as error:
        _remark(str(error))
    except Exception as error:  # noqa: BLE001 - a host must never wait for, or be stopped by, a mistake of ours
        _remark(f"a bug in MemoryClaw stopped this hook ({type(error).__name__}: {error})")
    except KeyboardInterrupt:
        pass
    answer = answer or (context_of(host, "") if verb == "pre" else post_answer(host, {}))
    with suppress(OSError, ValueError):  # nobody listens, or the disk behind it is full
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()
    return 0


def _pre(event: Mapping[str, Any], root: str, host: str, end: float) -> dict[str, Any]:
    audience = _audience("agent")

    def recalled(question: str, session: str, folder: str) -> str:
        """The context, or the one sentence why there is none."""
        try:
            with _opened(root, audience) as app:
                return app.recall(question, session=session, folder=folder).context
        except MemoryClawError as error:
            return f"{_TROUBLE}{error}"

    context = hooks.context_for(event, root, recalled, end, audience)
    if context is None:
        _remark("the memory did not answer in time; the prompt goes on without it")
    elif context.startswith(_TROUBLE):
        _remark(context.removeprefix(_TROUBLE))
    return context_of(host, "" if context is None or context.startswith(_TROUBLE) else context)


_TROUBLE = "\0"


def _post(event: Mapping[str, Any], root: str, host: str) -> dict[str, Any]:
    opened: dict[str, App] = {}

    def app(audience: str) -> App:
        if audience not in opened:
            opened[audience] = _opened(root, audience)
        return opened[audience]

    def keep(turns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        from memoryclaw.interfaces import shapes

        return [shapes.acknowledged(done) for done in app(_audience("owner")).capture(map(json.dumps, turns))]

    try:
        counts = hooks.keep_turns(event, root, keep, _audience("owner"))
        if counts["refused"]:
            _remark(f"{counts['refused']} turns could not be kept; they will be tried again next time")
        hooks.note_session(event, root)
        if hooks.ends_session(event):
            session, agent = hooks.session_of(event), app(_audience("agent"))
            agent.working.write_latest(session)
            agent.working.clear(session)
    finally:
        for opened_app in opened.values():
            opened_app.close()
    return post_answer(host, counts)


def _opened(root: str, audience: str) -> App:
    import gc

    from memoryclaw.app import open_vault  # a daemon may have spared us all this

    gc.enable()
    return open_vault(root, audience=audience)


def _audience(otherwise: str) -> str:
    """For whom a host asks, its agent, or whose words it delivers, those of the owner who installed its hooks, unless the environment says so."""
    return os.environ.get("MEMORYCLAW_AUDIENCE", otherwise)


def _given(end: float) -> Mapping[str, Any]:
    """The JSON object on standard input, if it comes in time."""
    data = b""
    while len(data) <= _MOST_BYTES:
        if not select.select([0], [], [], max(0.0, end - time.monotonic()))[0]:
            raise InputError("no complete input came on standard input in time")
        chunk = os.read(0, 1 << 16)
        if not chunk:
            break
        data += chunk
    with suppress(ValueError, RecursionError):
        if isinstance(value := json.loads(data), dict):
            return value
    raise InputError("standard input holds no JSON object")


def _remark(sentence: str) -> None:
    with suppress(OSError, ValueError, AttributeError):
        line = f"memoryclaw: {rooms.secret_gate.without_secrets(sentence, sys.argv[1:])}\n"
        sys.stderr.write(line.encode("ascii", "backslashreplace").decode())
