"""Health: how the vault stands, in sentences; how it grows and is used, as charts; who is signed in."""

from __future__ import annotations

import os
from collections import Counter

from memoryclaw import rooms
from memoryclaw.app import App
from memoryclaw.daemon.scheduling import last_run
from memoryclaw.interfaces import plural
from memoryclaw.interfaces.ui.answers import Answer, PageRequest, Shown, page
from memoryclaw.interfaces.ui.rendering import clock, moment, sentence
from memoryclaw.vault.layout import timestamp
from memoryclaw.writing.decisions import decisions_of

_MONTHS = 12


@page("GET /health", "health")
@page("POST /health", "health", examined=True)
def show(app: App, asked: PageRequest, *, examined: bool = False) -> Answer:
    """The page, from what is known at once; `examined` adds every check of the doctor, which reads all files."""
    checks = app.doctor() if examined else None
    status, figures = app.status(), app.stats()
    lines = _lines(app, asked, status)
    bad = sum(level == "problem" for _, level, _ in lines) + len(status.problems)
    bad += sum(check.level == "problem" for check in checks or ())
    advice = sum(level == "advice" for _, level, _ in lines) + len(status.notices)
    advice += sum(check.level == "advice" for check in checks or ())
    verdict = "All is well" if not bad else f"{plural(bad, 'problem')} to look at"
    count = Counter(decision.decision for decision in decisions_of(os.fspath(app.root)).all)
    # The last twelve months, oldest first, empty ones too.
    by_month = {month.month: month for month in figures.months}
    last = max([*by_month, f"{app.clock():%Y-%m}"])
    end = int(last[:4]) * 12 + int(last[5:7])
    names = [f"{at // 12:04}-{at % 12 + 1:02}" for at in range(end - _MONTHS, end)]
    values = {
        "title": "Health",
        "verdict": f"{verdict}, {plural(advice, 'piece', 'pieces')} of advice" if advice else verdict,
        "lines": lines,
        "now": status,
        "checks": checks,
        "figures": figures,
        "months": [by_month.get(name, rooms.status.Month(name))._asdict() for name in names],
        "decided": {"yes": count["approved"], "no": count["rejected"], "taken back": count["undone"]},
        "sessions": asked.sessions.count(),
        "since": asked.session.came,
        "folder": os.fspath(app.root),
    }
    return Shown("health.html", values)


def _lines(app: App, asked: PageRequest, now: rooms.status.Status) -> list[tuple[str, str, str]]:
    """How each thing stands: its name, ok, advice or problem, and a sentence."""
    config, index = app.config, now.index
    behind = f"{plural(now.behind, 'file is', 'files are')} newer than it" if now.behind else "up to date"
    size = f"{index.bytes / 1e6:.1f} MB" if index.bytes >= 1e6 else f"{index.bytes / 1e3:.0f} KB"
    index_line = f"{plural(index.notes, 'note')}, {plural(index.units, 'unit')}, {size}; {behind}"
    last = f"; last change {moment(now.git.last.when)}: {now.git.last.subject}" if now.git.last else ""
    is_ready = now.git.state == "ok"
    ran = last_run(os.fspath(app.root))
    read = f"last read {moment(timestamp(ran))}" if ran else "nothing was read yet"
    waits = plural(now.waiting.number, "turn waits", "turns wait") if now.waiting.number else "no turn waits"
    late = now.waiting.hours > 48
    models = ", then ".join(config.chain)
    vectors = "off; words only"
    if config.fallback == "vector":
        vectors = f"{config.vector_model}, when words find too little"
    reading, plan = asked.daemon.reason, asked.daemon.schedule.plan()
    return [
        ("Index", "problem" if now.degraded else "ok", sentence(now.degraded) if now.degraded else index_line),
        ("Git", "ok" if is_ready else "advice", f"{sentence(now.git.sentence)}{last}"),
        ("Watcher", "advice" if reading else "ok", sentence(reading) if reading else "Live: what you save is noticed a moment later"),
        ("Consolidation", "advice" if late else "ok", f"{sentence(waits)}; {read}; next at {clock(plan['next'])}, then every {plural(plan['interval'], 'minute')} while MemoryClaw runs"),
        ("Language models", "ok", f"{models}, then rules" if models else "None; rules only"),
        ("Vectors", "ok", sentence(vectors)),
    ]  # fmt: skip
