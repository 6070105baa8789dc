"""`app.skills`: skills are listed, matched, approved, given to hosts and run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from memoryclaw import rooms
from memoryclaw.app import verbs
from memoryclaw.app.context import VaultContext, new_id
from memoryclaw.app.verbs import AGENTS, LONG, allowed, verb
from memoryclaw.errors import MemoryClawError, NotFoundError
from memoryclaw.index.stemming import language
from memoryclaw.model import AGENT, NOTHING, OWNER, Fact, Problem


class Skills:
    """The skills of a vault."""

    def __init__(self, context: VaultContext) -> None:
        self._context = context
        self._root = os.fspath(context.root)

    @verb("GET /v1/skills", "Skills", "skills list")
    def list(self) -> Sequence[rooms.listing.ListedSkill]:
        """Every skill and draft, and how each stands."""
        return rooms.listing.list_skills(self._root, self._context.sees, self._ran())

    @verb("GET /v1/skills/{name}", "Skills", "skills show NAME")
    def show(self, name: verbs.SkillName) -> rooms.listing.LintedSkill:
        """One skill as it stands in its file, with what is wrong with it."""
        return rooms.listing.show_skill(self._root, name, self._context.sees, self._ran())

    @allowed(OWNER)
    def lint(self, name: str = "") -> Sequence[Problem]:
        """Every problem of one skill, or of all: what is wrong in its file, tools that were gone, other steps that sessions took."""
        problems, listed = rooms.listing.lint_skills(self._root, name), self.list()
        records = rooms.selecting.past(self._context.vault, []).records
        acted = [action for record in records for action in record.acted]
        for skill in [rooms.listing.find(list(listed), name)] if name else listed:
            problems += rooms.upkeep.failings(skill, acted)
        return sorted(problems)

    @verb("GET /v1/skills/match", "Skills", "skills match Q", request="q")
    def match(self, request: verbs.Question) -> Sequence[rooms.listing.SkillOffer]:
        """The skills that fit a request, the best first, and whether a host would be offered them."""
        return rooms.listing.match_skills(self.list(), request, language(self._context.config.language))

    @allowed(OWNER)
    def new(self, name: str, description: str = "", *, as_is: bool = False) -> rooms.context.Written:
        """Begins a skill: a valid SKILL.md to be filled in; one commit. `as_is`: a secret in it is meant."""
        return self._context.write(rooms.approve.new_skill, name, description, as_is=as_is)

    @verb("POST /v1/skills/{name}/approve", "Skills", "skills approve NAME", audience=(OWNER,))
    def approve(self, name: verbs.SkillName, *, version: verbs.Digest = "") -> rooms.approve.SkillDecision:
        """Says yes to a skill as its files are now; a draft moves to its place; one commit.

        Args:
            version: of its files, as somebody was shown them (`list` tells it); what has changed since is refused.
        """
        approve = rooms.approve.approve_skill
        return self._with_copies(self._context.permit(lambda context: approve(context, name, version)))

    @verb("POST /v1/skills/{name}/reject", "Skills", "skills reject NAME", audience=(OWNER,))
    def reject(self, name: verbs.SkillName, *, version: verbs.Digest = "") -> rooms.approve.SkillDecision:
        """Says no: a draft goes to the archive, an approval is withdrawn; one commit. `version` as for `approve`."""
        reject = rooms.approve.reject_skill
        return self._with_copies(self._context.write(lambda context: reject(context, name, version)))

    @verb("POST /v1/skills/{name}/outcome", "Skills", "skills outcome NAME", audience=AGENTS)
    def outcome(
        self, name: verbs.SkillName, *, ok: verbs.Flag, why: verbs.Text = "", session: verbs.Session = ""
    ) -> rooms.listing.RunOutcome:
        """Keeps in the ledger how it went when a skill was followed: by the agent, or as its owner saw it.

        Args:
            why: what went wrong; without secrets and what is marked private.

        Raises:
            VaultError: it could not be kept.
        """
        context = self._context
        return rooms.listing.keep_outcome(
            context.ledger,
            self.show(name).listed.skill,
            ok=ok,
            by=rooms.listing.PERSON if context.audience == OWNER else rooms.listing.AGENT,
            why=rooms.secret_gate.secret_gate().text(why),
            session=context.session_name(session),
            now=context.clock(),
        )

    def _ran(self) -> Sequence[Mapping[str, object]]:
        """What the ledger has of the runs of skills; of their trouble, which may quote anything, nothing for others than the owner."""
        runs = self._context.ledger.events_of(rooms.listing.EVENT)
        return runs if self._context.audience == OWNER else [{**run, "why": ""} for run in runs]

    @verb("POST /v1/host-skills", "Skills", "skills host", audience=AGENTS)
    def hosted(self, *, refresh: bool = True) -> rooms.host_skills.HostSkills:
        """The folder that hosts read skills from, brought up to date: copies of exactly the approved versions."""
        folder = rooms.host_skills.HostFolder(os.fspath(self._context.state))
        sees = partial(self._context.sees, audience=AGENT)
        return rooms.host_skills.host_skills(self._root, folder, refresh=refresh, sees=sees)

    @verb("POST /v1/skills/{name}/run", "Skills", "skills run NAME", pool=LONG, audience=AGENTS)
    def run(
        self,
        name: verbs.SkillName,
        params: verbs.Values = NOTHING,
        *,
        apply: verbs.Flag = False,
        session: verbs.Session = "",
        ask: Callable[[rooms.skill_file.Requirement], str] | None = None,
    ) -> rooms.run.SkillRun:
        """Carries out the steps of an approved skill; without `apply` it only shows each call that it would make.

        Args:
            params: values of its parameters; what is missing is looked up in facts.
            session: whose log the steps are kept in; a session of its own without one.

        Raises:
            InputError: it is not approved as it is now, or something is missing or wrong; nothing was done then.
        """
        self.show(name)  # what is not seen is not run
        runner = rooms.run.Runner(
            root=self._root,
            tools=self._tools,
            facts=self._facts_of,
            log=lambda lines: self._context.recorder.capture(lines),  # noqa: PLW0108 - made only when something is logged
            ledger=self._context.ledger,
            clock=self._context.clock,
            new_id=new_id,
            redacted=rooms.secret_gate.secret_gate().text,
        )
        return rooms.run.run_skill(runner, name, params, apply=apply, session=session, ask=ask)

    def _tools(self) -> rooms.tool_hosts.ToolHosts:
        config = self._context.config
        wait, token = config.tool_timeout, os.environ.get(rooms.tool_hosts.TOKEN, "").strip()
        gateway = rooms.tool_hosts.GatewayTools(
            config.gateway_url, token, wait, allow_remote=config.allow_remote_gateway
        )
        servers = rooms.tools.read_servers(config.servers, os.environ)
        mcp = rooms.mcp_tools.McpTools(servers, wait, self._root)
        return rooms.tool_hosts.ToolHosts(mcp, gateway, config.tool_host)

    def _facts_of(self, entity: str) -> Sequence[Fact]:
        """The current facts from files that are trusted, of one entity or all; none where the entity is unknown.

        A statement fills no parameter: nobody knows whether it holds.
        """
        try:
            rows = self._context.read(lambda: rooms.browsing.facts(self._context.catalog, entity=entity))
        except NotFoundError:
            return []
        sql = "select path from files where trust in ('untrusted', 'quarantined')"
        doubtful = self._context.catalog.rows(sql)
        return [fact for path, fact in rows if (path,) not in doubtful and not fact.is_statement]

    def _with_copies(self, done: rooms.approve.SkillDecision) -> rooms.approve.SkillDecision:
        """Brings the copies for hosts up to date after a decision; a failure is a notice, as the decision is made."""
        try:
            self.hosted()
        except (MemoryClawError, OSError) as error:
            trouble = f"the copies for hosts are not up to date ({error})"
            return done._replace(notice="; ".join(filter(None, (done.notice, trouble))))
        return done
