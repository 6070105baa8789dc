"""Modules of the packages, each imported at its first use: `from memoryclaw import rooms`, then `rooms.browsing.facts(...)`.

Most verbs need few of them, and a search must start fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoryclaw import late

if TYPE_CHECKING:
    # isort: off
    # fmt: off
    from memoryclaw.capture import capture, feedback, log_files
    from memoryclaw.connect import claude_code, connecting, importing, latest, logs as log_imports, memory_file, settings_file, table
    from memoryclaw.connect.openclaw import notes as openclaw_notes, setup as openclaw_setup, status as openclaw_status
    from memoryclaw.consolidation import actions, apply, changes, consolidate, host_answers, model_chain, planning, selecting, understood
    from memoryclaw.daemon import client, daemon, processes, scheduling
    from memoryclaw.erase import purge
    from memoryclaw.health import doctor, lint, status, survey
    from memoryclaw.history import commit_hook, git, repository
    from memoryclaw.index import index, outgoing, sync, vector_store, vectors, watching
    from memoryclaw.lifecycle import conflict_decisions, keeping, pages, upkeep, views
    from memoryclaw.recall import ask, browsing, citing, conflicts, evaluation, graph, reasons, recall, search, strength, vector_lane
    from memoryclaw.review import decide, details, elsewhere, file_history, machines, queue, setting_questions, undo, widened, word_diff
    from memoryclaw.skills import approve, host_skills, listing, mcp_tools, run, skill_file, tool_hosts, tools
    from memoryclaw.talk import own_words, statements
    from memoryclaw.text import encoding, language, redaction
    from memoryclaw.vault import audience, edits, export_gate, files, folder, ledger, listener, logs, permissions, properties, state_folder, vocabulary
    from memoryclaw.working import memory
    from memoryclaw.writing import bundles, command_consent, context, decisions, edit, identity, init, migration, remember, secret_gate, tracking
    # fmt: on
    # isort: on

PLACES = late.module_places(globals())
if not TYPE_CHECKING:
    __getattr__ = late.at_first_use(globals(), PLACES)
