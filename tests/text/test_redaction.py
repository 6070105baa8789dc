from __future__ import annotations

import base64

import pytest
import secretset
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.text.redaction import MARK, Redactor

REDACTOR = Redactor(b"a key")


def redacted(text: str) -> str:
    return str(REDACTOR.text(text).value)


def test_of_a_thousand_secrets_in_sentences_never_seen_before_at_most_twenty_survive():
    samples = list(secretset.samples(20261121, secretset.HELD_OUT, 12))
    assert len(samples) > 1000
    missed = [s for s in samples if secretset.survives(s, redacted(s.line))]
    assert len(missed) <= len(samples) * 0.02, missed
    assert [s for s in missed if s.prefixed] == []


def test_at_most_one_clean_line_in_a_thousand_is_touched():
    lines = list(secretset.clean(20261121, 4000))
    touched = [line for line in lines if redacted(line) != line]
    assert len(touched) <= 4, touched


@pytest.mark.parametrize("line", secretset.SUSPICIOUS)
def test_talking_about_secrets_is_no_secret(line):
    assert redacted(line) == line


def test_a_mark_names_the_kind_and_the_same_secret_always_gets_the_same():
    first, second = redacted("password: hunter2"), redacted("I think the password is hunter2.")
    assert MARK.search(first)[0] == MARK.search(second)[0]
    assert MARK.search(first)[1] == "password"
    assert redacted("password: hunter3") != first


def test_without_the_key_a_fingerprint_tells_nothing():
    assert Redactor(b"another").text("password: hunter2").value != redacted("password: hunter2")


def test_what_was_redacted_once_is_left_alone():
    once = redacted("API_KEY=3f9a8b7c6d5e4f3a2b1c and postgres://app:tiger77@db/prod")
    assert once.count("[REDACTED:") == 2
    assert redacted(once) == once


@pytest.mark.parametrize(
    "line",
    [
        "**Password:** `hunter2`",
        "| password | hunter2 |",
        "<password>hunter2</password>",
        '{"password":"hunter2"}',
        r"{\"password\": \"hunter2\"}",
        'password => "hunter2"',
        "Passwort: hunter2",
        "пароль: hunter2",
        "パスワード：hunter2",
        "the wifi password for the boathouse is hunter2",
        "https://nora:hunter2@example.org/",
        "curl -u nora:hunter2 https://example.org",
        'curl -H "Authorization: Basic ' + base64.b64encode(b"nora:hunter2").decode() + '"',
        "machine example.org login nora password hunter2",
        '[{"name": "DB_PASSWORD", "value": "hunter2"}]',
        "- name: DB_PASSWORD\n  value: hunter2\n",
        "one\\npassword: hunter2\\ntwo",
        "i changed the wine club password to hunter2",
        "the password to Netflix is hunter2",
        "we changed it, the password to Netflix is hunter2 now",
        "habe das Passwort auf hunter2 geändert",
        "j'ai changé le mot de passe en hunter2",
    ],
)
def test_a_short_password_is_found_however_it_is_written(line):
    out = redacted(line)
    assert "hunter2" not in out
    assert base64.b64encode(b"nora:hunter2").decode() not in out
    assert MARK.search(out)


def test_a_secret_is_found_under_a_name_as_long_as_names_are():
    tail = "_of_the_harbour.masters-second-boat-x123"
    for name in ("secret", "pass-phrases"):
        assert "Xk29fj3kfja0Qz81" not in redacted(f"{name}{tail}=Xk29fj3kfja0Qz81"), name
        assert "Xk29fj3kfja0Qz81" not in redacted("secret" * 30 + f" {name}: Xk29fj3kfja0Qz81"), name


def test_a_private_key_cut_off_in_the_middle_is_taken_to_its_last_line():
    out = redacted(
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\nbT0x9+/kQ==\n\nthat was all it printed!"
    )
    assert "MIIEpAIBAAKCAQEA7" not in out
    assert "bT0x9" not in out
    assert out.endswith("printed!")


def test_inside_a_value_the_name_above_it_counts():
    value = {
        "password": "sunshine",
        "pin_code": 4821,
        "argv": ["deploy", "--token", "abcd1234efgh", "--region", "eu"],
        "env": [{"name": "SMTP_PASSWORD", "value": "harbour"}],
        "note": "sunshine in the harbour",
        "max_tokens": 4096,
        "ok": True,
    }
    done = REDACTOR.value(value)
    assert "sunshine" not in str(done.value["password"])
    assert "abcd1234efgh" not in done.value["argv"][2]
    assert done.value["argv"][3:] == ["--region", "eu"]
    assert "harbour" not in done.value["env"][0]["value"]
    assert (done.value["note"], done.value["max_tokens"], done.value["ok"]) == (
        "sunshine in the harbour",
        4096,
        True,
    )
    assert len(done.kinds) >= 3


def test_a_key_of_an_object_may_be_the_secret():
    secret = "ghp_" + "aB3d" * 9
    assert secret not in str(REDACTOR.value({secret: 1}).value)


@given(st.text(max_size=400))
def test_any_text_is_redacted_without_harm_and_only_once(text):
    once = redacted(text)
    assert redacted(once) == once


@given(
    st.integers(0, 3000),
    st.sampled_from(["=pass: ", "secret ", "word ", "password is ", " "]),
    st.sampled_from(["ghp_" + "aB3d" * 9, "password: hunter2-Zebra", "https://nora:hunter2@example.org/ "]),
)
def test_a_secret_is_found_wherever_it_stands_in_a_long_line(before, piece, said):
    out = redacted(f"{piece * before} {said} {piece * 500}")
    assert "aB3d" not in out
    assert "hunter2" not in out
