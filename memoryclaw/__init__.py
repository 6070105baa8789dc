"""MemoryClaw: your agent's memory as Markdown you can read, edit and undo.

    with open_vault("~/notes") as app: app.recall("When is the boathouse deadline?").context

The packages; each imports only from those below it (tests/test_architecture.py):

    interfaces                                     parse a request, call the app, print: cli http mcp
    app                                            opens a vault; one method per verb
    hosts                                          OpenClaw, Claude Code: settings, transcripts, hooks
    review                                         what waits for a person, undo, history, blame
    working  consolidation  skills                 working memory; logs become memory; skills
    capture                                        turns of any host, in the logs
    recall  daemon                                 question to context; serve and schedule
    writing  index                                 changes as commits; SQLite, Whoosh, vectors, sync
    history  config  vault                         git; settings; files, notes, facts, locks
    text  models                                   language, dates, Markdown; Ollama, OpenAI, embedders
    model  errors  ports  version
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoryclaw.version import __version__

if TYPE_CHECKING:
    from memoryclaw.app import App, init_vault, open_vault

__all__ = ["App", "__version__", "init_vault", "open_vault"]


def __getattr__(name: str) -> Any:
    # On first use: the command line imports this package too, and must start fast.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from memoryclaw import app  # noqa: PLC0415

    return getattr(app, name)
