"""The recall benchmark runs on sets of conversations, and its figures are what its data makes them."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.indexed import until

ROOT = Path(__file__).parent.parent
sys.path.insert(0, os.fspath(ROOT / "benchmarks"))
import ask  # noqa: E402 - the folder above is what makes it found
import changes  # noqa: E402
import conversations  # noqa: E402
import recall  # noqa: E402
from plainfts import PlainFts5, stop_words  # noqa: E402

from memoryclaw.index.stemming import language  # noqa: E402
from memoryclaw.recall.ask import AnsweredQuestion, AnswerLine  # noqa: E402

SAID = (
    "I bought a red kayak yesterday!",
    "Where will you keep it?",
    "In the boathouse.",
    "My dentist moved to Rome.",
)
ASKED = (
    ("What colour is the kayak that Ana bought?", "single-hop", ["D1:1"]),
    ("Where did the dentist move?", "single-hop", ["D2:2"]),
    ("What did Ben buy?", "adversarial", ["D1:1"]),
    ("Does anybody like tulips?", "open-domain", []),
)


def rows(path: Path, values: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in values), encoding="utf-8")


def data(folder: Path) -> Path:
    turns = [
        {
            "conv": "c-1", "id": f"D{1 + i // 2}:{1 + i % 2}", "session": 1 + i // 2, "n": i % 2, "speaker": ("Ana", "Ben")[i % 2],
            "datetime": f"2023-05-0{1 + i // 2}T10:00", "text": text, "caption": "",
        }
        for i, text in enumerate(SAID)
    ]  # fmt: skip
    rows(folder / "turns.jsonl", turns)
    rows(
        folder / "sessions.jsonl",
        [{"conv": "c-1", "session": n, "datetime": f"2023-05-0{n}T10:00"} for n in (1, 2)],
    )
    questions = [
        {"conv": "c-1", "qid": f"q{i}", "question": text, "category": category, "evidence": evidence, "sessions": [int(e[1]) for e in evidence]}
        for i, (text, category, evidence) in enumerate(ASKED)
    ]  # fmt: skip
    rows(folder / "questions.jsonl", questions)
    return folder


def bench(program: str, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "benchmarks" / f"{program}.py", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def changed(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Rewrites each line of a file."""
    rows(path, [change(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()])


@pytest.mark.laws
def test_the_recall_benchmark_counts_evidence_as_it_says(tmp_path: Path) -> None:
    done = bench("locomo", "--data", str(data(tmp_path)), "--rows", "conversations", "--json")
    result = json.loads(done.stdout)
    assert result["questions"] == 4
    for figures in (result, result["plain_fts5"]):
        assert set(figures["turn"]) == {"recall@5", "recall@10", "recall@20", "ndcg@10"}
        assert set(figures["session"]) == set(figures["session_nonadversarial"]) == {"recall@5", "recall@10"}
        assert set(figures["budget"]) == {"200", "400", "600", "800"}
        assert figures["ms"]["p50"] <= figures["ms"]["p95"]
        assert figures["turn"]["recall@5"] == 1.0
    assert result["session"]["recall@5"] == result["budget"]["200"] == 1.0


@pytest.mark.laws
def test_conversations_with_the_same_ids_meet_in_one_vault_and_are_not_mixed_up(tmp_path: Path) -> None:
    folder = data(tmp_path)
    for name in ("turns", "questions"):
        both = [
            json.loads(line) for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        ]
        rows(folder / f"{name}.jsonl", [{**row, "conv": conv} for conv in ("c-1", "c/2") for row in both])
    changed(folder / "turns.jsonl", lambda turn: {**turn, "text": f"{turn['text']} {turn['conv'][-1] * 5}"})
    changed(
        folder / "questions.jsonl",
        lambda row: {**row, "question": f"{row['question']} {row['conv'][-1] * 5}"},
    )
    done = bench("locomo", "--data", str(folder), "--rows", "pooled,vectors", "--json")
    result = json.loads(done.stdout)
    pooled, vectors = result["pooled"], result["vectors"]
    assert set(result) == {"pooled", "vectors"}
    assert (pooled["turns"], pooled["sessions"]) == (8, 4)
    assert pooled["turn"]["recall@5"] == pooled["session"]["recall@5"] == 1.0
    assert pooled["turn"]["ndcg@10"] == 1.0  # each question finds the turn of its own conversation first
    assert "missing" in vectors or vectors["strategy"] == "weighted"


@pytest.mark.laws
def test_what_a_conversation_lacks_is_told_in_one_sentence(tmp_path: Path) -> None:
    folder = data(tmp_path)
    changed(
        folder / "turns.jsonl",
        lambda turn: {k: v for k, v in turn.items() if k not in ("caption", "speaker")},
    )
    done = bench("locomo", "--data", str(folder))
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "turns.jsonl, line 1: has no 'speaker'\n")
    changed(data(tmp_path) / "questions.jsonl", lambda row: {**row, "conv": "c-9"})
    error = bench("locomo", "--data", str(folder)).stderr
    assert error == "questions.jsonl asks about 'c-9', of which turns.jsonl has no turn\n"


# Three questions that ours and plain FTS5 answer alike: all of the evidence, half of it, none.
TOLD = ("The kayak is red.", "My dentist moved to Rome.", "Tulips need water.")
WANTED = (("Where is the kayak?", ["D1:1"], "red"), ("Which dentist?", ["D2:1", "D3:1"], "Milan"), ("Tulips?", ["D1:1"], "red"))  # fmt: skip
HALF = 1 / (1 + 1 / math.log2(3))  # nDCG of one hit in the first place, of two
THIRDS = {"recall@5": 0.5, "recall@10": 0.5, "recall@20": 0.5, "ndcg@10": round((1 + HALF) / 3, 4)}


def turns_of(texts: tuple[str, ...], speaker: str = "Ana") -> list[dict[str, Any]]:
    """A session for each text."""
    return [
        {"conv": "c", "id": f"D{n}:1", "session": n, "speaker": speaker, "datetime": f"2023-05-0{n}T10:00", "text": text}
        for n, text in enumerate(texts, 1)
    ]  # fmt: skip


def made(folder: Path, turns: list[dict[str, Any]], asked: tuple[tuple[str, list[str], str], ...]) -> Path:
    folder.mkdir(parents=True)
    rows(folder / "turns.jsonl", turns)
    rows(folder / "sessions.jsonl", [])
    rows(
        folder / "questions.jsonl",
        [
            {"conv": "c", "question": text, "answer": answer, "category": "single-hop", "evidence": evidence}
            for text, evidence, answer in asked
        ],
    )
    return folder


def test_figures_are_those_that_a_hand_computes(tmp_path: Path) -> None:
    made(tmp_path / "sets" / "thirds", turns_of(TOLD), WANTED)
    made(tmp_path / "sets" / "whole", turns_of(TOLD), WANTED[:1])
    done = bench(
        "recall", "--data", str(tmp_path / "sets"), "--weight", "whole=.5", "--budgets", "400", "--json"
    )
    result = json.loads(done.stdout)
    assert set(result["sets"]) == {"thirds", "whole"}
    for name in (recall.OURS, recall.PLAIN):
        thirds, whole, macro = (figures[name] for figures in (result["sets"]["thirds"]["found"], result["sets"]["whole"]["found"], result["macro"]))  # fmt: skip
        assert thirds["turn"] == THIRDS
        assert thirds["session"] == {"recall@5": 0.5, "recall@10": 0.5}
        assert whole["turn"]["recall@10"] == whole["turn"]["ndcg@10"] == 1.0
        assert macro["turn"]["recall@10"] == round((0.5 + 0.5 * 1.0) / 1.5, 4)
        # Of three contexts two hold nothing but evidence, and one holds none.
        worth = {"worth": round(2 / 3, 4), "cut": 0.0, "inside": 0.0} if name == recall.OURS else {}
        assert thirds["packed"]["400"] == {"evidence": 0.5, "answers": 0.5, **worth}
        assert thirds["cpu_ms"]["p50"] <= thirds["cpu_ms"]["p95"]
    assert result["sets"]["thirds"]["answers"] == 2  # `Milan` stands in no turn
    timed = [line.split() for line in recall.comparison(result) if line.strip().startswith("recall:")]
    assert len(timed) == len(result["sets"]) + 1
    assert all({"p50,", "p95,", "FTS5"} <= {*line} for line in timed)
    assert result["sets"]["thirds"]["gain"]["turn recall@10"] == {"gain": 0.0, "low": 0.0, "high": 0.0}
    assert result["below"] == []


def test_where_ours_is_below_plain_fts5_is_said() -> None:
    figures = {"turn": {"recall@10": 0.5}, "session": {"recall@10": 1.0}, "packed": {}}
    warnings = recall.below({recall.OURS: figures, recall.PLAIN: {**figures, "turn": {"recall@10": 0.75}}})
    assert warnings == ["turn recall@10 0.500 is below plain FTS5's 0.750"]


def test_a_line_separator_inside_a_text_does_not_cut_its_line(tmp_path: Path) -> None:
    folder = made(tmp_path / "s", turns_of(("A\u2028red\x85kayak.", "Two.")), WANTED[:1])
    raw = (folder / "turns.jsonl").read_text(encoding="utf-8")
    (folder / "turns.jsonl").write_text(
        raw.replace("\\u2028", "\u2028").replace("\\x85", "\x85"), encoding="utf-8"
    )
    turns, _ = conversations.read(folder)
    assert [turn["text"] for turn in turns["c"]] == ["A\u2028red\x85kayak.", "Two."]
    with conversations.vault_of(tmp_path / "vault", turns["c"]) as app:
        assert recall.searched(app, "kayak") == ["D1:1"]


def test_what_stands_whole_is_not_cut_whatever_is_marked_or_escaped_in_it(tmp_path: Path) -> None:
    pasted = "can you review this? Hi Ana, the sluice & gate is painted by Jens Frost. Best, Jens"
    walk = "We walked along the river past the old mill. "
    with conversations.vault_of(
        tmp_path / "vault", turns_of((pasted, f"{walk * 99}The jetty is red."), "user")
    ) as app:
        for question, is_cut in (("who paints the sluice gate", set()), ("is the jetty red", {"D2:1"})):
            turns, context, (_, cut, inside) = recall.recalled(app, question, 400)
            assert (turns[:1], cut, inside) == (["D2:1"] if is_cut else ["D1:1"], is_cut, set())
            assert ("[pasted: " in context, "&amp;" in context) == (not is_cut, not is_cut)


def test_user_assistant_and_tool_become_roles_and_others_users_with_a_name(tmp_path: Path) -> None:
    turns = [
        {**turn, "speaker": speaker}
        for turn, speaker in zip(
            turns_of(("one", "two", "three", "four")), ("User", "ASSISTANT", "tool", "Ana"), strict=True
        )
    ]
    conversations.vault_of(tmp_path / "vault", turns).close()
    logs = sorted((tmp_path / "vault" / "logs").rglob("*.jsonl"))
    lines = [json.loads(path.read_text(encoding="utf-8")) for path in logs]
    assert [(line["role"], line.get("name")) for line in lines] == [
        ("user", None), ("assistant", None), ("tool", None), ("user", "Ana"),
    ]  # fmt: skip


def test_plain_fts5_reads_chinese_and_knows_the_language_of_the_questions() -> None:
    plain = PlainFts5(turns_of(("今天天气很好。", "我的牙医搬到了罗马。")))
    assert plain.search("牙医搬到哪里？") == ["D2:1"]
    assert stop_words(["Wo ist das Boot, und wer hat es?"]) == language("de").stop
    assert stop_words(["我的牙医搬到哪里？"]) == language("en").stop


@pytest.mark.laws
def test_what_the_command_line_gets_wrong_is_told_in_one_sentence(tmp_path: Path) -> None:
    folder = made(tmp_path / "s", turns_of(TOLD), WANTED)
    for args, sentence in (
        ([tmp_path / "none"], f"there is no folder {tmp_path / 'none'}"),
        ([folder, "--weight", "t=2"], "--weight t=2: there is no set 't'; there are s"),
        ([folder, "--tune"], "--tune leaves one set out, so it needs two at least"),
    ):
        done = bench("recall", "--data", *map(str, args))
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{sentence}\n")


def test_sets_called_after_a_half_have_the_name_of_their_folder(tmp_path: Path) -> None:
    folders = [made(tmp_path / name, turns_of(TOLD), WANTED) for name in ("one/dev", "two/dev", "two/test")]
    assert [set_.name for set_ in recall.sets_of(folders[:2])] == ["one", "two"]
    assert [set_.name for set_ in recall.sets_of(folders)] == ["one", "two/dev", "two/test"]


SPEAKER = next(iter(recall.TERMS["speaker"]))


def of_two_speakers(folder: Path) -> Path:
    """Ben's words fit the question better; who is asked about stands first by the term `speaker` alone."""
    turns = turns_of(("We bought a kayak, and after that much else at the market.", "We bought a kayak."))
    changed_turns = [turns[0], {**turns[1], "speaker": "Ben", "session": 1, "datetime": "2023-05-01T11:00"}]
    return made(folder, changed_turns, (("Which kayak has Ana bought?", ["D1:1"], ""),))


def test_a_term_that_is_off_costs_what_it_was_worth_and_is_on_again_afterwards(tmp_path: Path) -> None:
    sets, before = recall.sets_of([of_two_speakers(tmp_path / "s")]), recall.shipped(SPEAKER)
    terms = {name: recall.TERMS[name] for name in ("speaker", "date")}
    result = recall.run(lambda benches, of: recall.ablate(benches, of, terms), sets, recall.Options(), jobs=1)
    assert result["all"]["macro"] == {"recall@10": 1.0, "ndcg@10": 1.0}
    assert result["off"]["speaker"]["s"] == {"recall@10": 0.0, "ndcg@10": pytest.approx(1 / math.log2(3) - 1)}
    assert result["off"]["date"]["s"] == {"recall@10": 0.0, "ndcg@10": 0.0}
    assert recall.shipped(SPEAKER) == before > 0
    assert "| speaker | -0.369 | -0.369 |" in list(recall.ablation(result))


def test_every_term_and_every_constant_of_the_grid_exists() -> None:
    for place in {*recall.GRID, *(place for term in recall.TERMS.values() for place in term)}:
        recall.shipped(place)
    with pytest.raises(
        conversations.DataError, match=r"there is no constant memoryclaw\.recall\.rank:NOTHING"
    ):
        recall.shipped("memoryclaw.recall.rank:NOTHING")


@pytest.mark.laws
def test_tuning_chooses_on_the_other_sets_and_leaves_no_constant_changed(tmp_path: Path) -> None:
    names, before = ("one", "other"), recall.shipped(SPEAKER)
    sets = recall.sets_of([of_two_speakers(tmp_path / name) for name in names])
    with recall.switched({SPEAKER: 0.0}):
        result = recall.run(
            lambda benches, of: recall.Tuning(benches, of, {SPEAKER: (before,)}).result(),
            sets,
            recall.Options(),
            jobs=1,
        )
    missed = (1 + 1 / math.log2(3)) / 2
    for name in names:
        row = result["without"][name]
        assert (row["shipped"], row["tuned"]) == (pytest.approx(missed), 1.0)
        assert row["constants"] == {SPEAKER: before}
    assert result["points"] == 2
    assert recall.shipped(SPEAKER) == before
    assert f"| other | {missed:.3f} | 1.000 | {1 - missed:+.3f} |" in list(recall.tuning(result))


@pytest.mark.laws
def test_vaults_are_kept_until_the_data_changes(tmp_path: Path) -> None:
    folder, cache = made(tmp_path / "s", turns_of(TOLD), WANTED), tmp_path / "cache"

    def vaults() -> set[tuple[str, int]]:
        recall.run(
            recall.compare, recall.sets_of([folder]), recall.Options(budgets=(400,)), jobs=1, cache=cache
        )
        return {(path.name, path.stat().st_ino) for path in cache.iterdir()}

    first = vaults()
    assert len(first) == 1
    assert vaults() == first
    assert not list(cache.rglob("ledger"))
    changed(folder / "turns.jsonl", lambda turn: {**turn, "text": f"{turn['text']} Indeed."})
    assert len(vaults()) == 2


@pytest.mark.laws
@pytest.mark.parametrize("cached", [False, True])
def test_an_interrupted_run_leaves_no_process_and_no_folder(tmp_path: Path, cached: bool) -> None:
    many = [
        {**turn, "id": f"{turn['id']}-{n}"}
        for n in range(1500)
        for turn in turns_of(tuple(f"{text} {n}" for text in TOLD))
    ]
    for name in ("one", "other"):
        made(tmp_path / "sets" / name, many, WANTED)
    (tmp_path / "tmp").mkdir()
    command = [sys.executable, ROOT / "benchmarks/recall.py", "--data", tmp_path / "sets"]
    command += ["--cache", tmp_path / "tmp" / "kept"] if cached else []
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a shell ignores it in the background, and so would a child
    process = subprocess.Popen(
        command,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
        start_new_session=True,
        stderr=subprocess.PIPE,  # ends only when nobody holds it any more
    )
    until(lambda: list((tmp_path / "tmp").glob("*/*-part-*")))  # one set may be whole before the other begins
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in said
    assert (
        list((tmp_path / "tmp").glob("*/*-part-*" if cached else "*")) == []
    )  # a set that was whole may stay


def test_tools_that_are_not_installed_are_left_out_with_the_line_that_installs_them(tmp_path: Path) -> None:
    done = bench("peers", "--data", str(data(tmp_path)), "--installed", str(tmp_path / "none"), "--json")
    figures = json.loads(done.stdout)["found"]
    assert {
        "MemoryClaw", "plain FTS5, unicode61", "plain FTS5, porter", "Whoosh BM25F, stemmed",
    } == figures.keys()  # fmt: skip
    assert all(row["session"]["recall@5"] == 1.0 for row in figures.values())
    assert [line.partition(" ")[0] for line in done.stderr.splitlines()] == [
        "qmd",
        "basic-memory",
        "mind-mem",
    ]


@pytest.mark.laws
def test_the_benchmark_of_changes_tells_what_became_of_each() -> None:
    moved = {"before": ["I live in Berlin"], "after": "I moved to Lisbon", "old": "Berlin", "new": "Lisbon"}
    assert changes.outcome(moved) == "superseded"
    assert changes.outcome({**moved, "after": "nice weather in Lisbon today"}) == "missed"
    assert changes.outcome({**moved, "after": "I moved to Lisbon, and my bike is a Kona now"}) == "wrong"


def test_the_benchmark_of_answers_tells_what_became_of_each() -> None:
    def became(must: list[object], *texts: str, answered: bool) -> str:
        lines = tuple(AnswerLine(text, "", "a", "note", "a.md", 1, "", "trusted", 1.0) for text in texts)
        nothing = {"query": "", "matches": (), "left_out": (), "trace": (), "confidence": 0.0}
        return ask.outcome(AnsweredQuestion(**nothing, answered=answered, lines=lines), must)

    assert became(["Bo", "Bodil"], "it was Bodil", answered=True) == "right"
    assert became([["Bo"], ["Ada"]], "Bo and somebody", answered=True) == "wrong"
    assert became([["Bo"], ["Ada"]], "Bo", "Ada", answered=False) == "unsure, among three"
    assert became(["Bo"], "Ada", "Ida", "Eda", "Bo", answered=False) == "unsure, further down"
    assert became(["Bo"], "Ada", answered=False) == "denied"
    assert became([], "Ada", answered=True) == "answered, without an answer"


@pytest.mark.laws
def test_the_night_benchmark_consolidates_and_counts() -> None:
    command = [
        sys.executable,
        ROOT / "benchmarks/night.py",
        *["--rows", "day", "--turns", "40", "--runs", "1", "--json"],
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert {"plan and apply 40 turns, wall", "one commit", "peak memory"} <= rows.keys()
    assert rows["plan and apply 40 turns, wall"]["goal"] == "<= 10 s"


@pytest.mark.laws
def test_the_load_benchmark_finds_all_that_was_acknowledged() -> None:
    done = bench("load", "--notes", "30", "--clients", "4", "--seconds", "3", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["lost"] == [0, 0]
    assert result["serve"]["failures"] == 0
    assert {"recall", "search", "remember", "capture", "healthz"} >= result["serve"]["ms"].keys()
    assert result["echo"]["rate"] > result["serve"]["rate"]


@pytest.mark.laws
def test_the_benchmark_of_the_pages_asks_for_pages_that_are_there() -> None:
    done = bench("ui", "--notes", "75", "--runs", "8", "--json")  # three entities: any other has no page
    assert done.returncode == 0, done.stderr
    names = {row["name"] for row in json.loads(done.stdout)}
    assert {"Note, p95", "Entity, p95", "Health, p95"} <= names


@pytest.mark.laws
def test_the_benchmark_of_large_vaults_builds_asks_and_compares(tmp_path: Path) -> None:
    command = [
        sys.executable,
        ROOT / "benchmarks/million.py",
        "--units",
        "1000",
        "--questions",
        "5",
        "--json",
        "--keep",
        tmp_path,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    [figures] = json.loads(done.stdout)
    assert figures["units"] >= 1000
    assert figures["ms"].keys() == {"recall", "search", "plain FTS5, OR"}
    assert figures["lost"]["overlap@10"] == 1.0
    assert (tmp_path / "vault1000").is_dir()


def test_the_same_seed_talks_alike(tmp_path: Path) -> None:
    talks = []
    for name in ("one", "other"):
        command = [sys.executable, ROOT / "benchmarks/talk.py", "2", tmp_path / name, "--turns", "60"]
        assert int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) >= 120
        logs = sorted((tmp_path / name).rglob("*.jsonl"))
        talks.append([(path.relative_to(tmp_path / name), path.read_bytes()) for path in logs])
    assert talks[0] == talks[1]
    turns = [json.loads(line) for _, data in talks[0] for line in data.splitlines()]
    assert {turn["role"] for turn in turns} == {"user", "assistant", "tool"}


@pytest.mark.laws
def test_a_folder_without_the_data_is_told_in_one_sentence(tmp_path: Path) -> None:
    done = bench("locomo", "--data", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "has no turns, sessions, questions.jsonl" in done.stderr


@pytest.mark.laws
def test_the_consolidation_benchmark_answers_from_what_was_written_alone(tmp_path: Path) -> None:
    folder = data(tmp_path)
    rows(
        folder / "observations.jsonl",
        [
            {
                "conv": "c-1",
                "session": 1,
                "speaker": "Ana",
                "text": "Ana bought a red kayak.",
                "evidence": ["D1:1"],
            }
        ],
    )
    done = bench("consolidation", "--data", str(folder), "--json")
    result = json.loads(done.stdout)
    assert (result["questions"], result["turns"], result["episodes"], result["skipped"]) == (2, 4, 2, {})
    figures = result["found"]
    assert (
        figures["ours"]["recall@10"] == figures["episodes"]["recall@10"] == figures["raw"]["recall@10"] == 1.0
    )
    assert figures["reference"]["recall@10"] == 0.5
    assert 1.0 < figures["episodes"]["turns_a_hit"] <= 2.0
    assert figures["raw"]["turns_a_hit"] == 1.0
    assert result["compression"] == round(result["tokens_out"] / result["tokens_in"], 4)
    assert result["compression"] > 1  # four short turns cost less than the headers of two notes


@pytest.mark.laws
def test_the_consolidation_benchmark_prints_whether_its_goal_is_met(tmp_path: Path) -> None:
    rows(data(tmp_path) / "observations.jsonl", [])
    assert "(goal 0.5: missed)" in bench("consolidation", "--data", str(tmp_path)).stdout
