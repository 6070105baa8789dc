"""Whose a line is, in scripts that write no space between words."""

from __future__ import annotations

import pytest

from memoryclaw.recall.relevance import tells_of_other_sign


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("兄はどこに住んでいますか", "妹は京都に住んでいます"),
        ("我爸爸住在哪里", "我妈妈住在北京"),
        ("佐藤さんの電話は", "鈴木さんの電話は03-2222です"),
        ("小王的生日是哪天", "小李的生日是六月九号"),
        ("项目A的数据库是什么", "项目B的数据库是Oracle"),
    ],
)
def test_one_sign_may_tell_two_people_or_things_apart(asked: str, text: str) -> None:
    assert tells_of_other_sign(asked, text)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("兄はどこに住んでいますか", "兄は大阪に住んでいます"),
        ("我爸做什么工作？", "我父亲是医生"),
        ("私の誕生日はいつですか？", "誕生日は5月3日です。"),
        ("私はどこに引っ越した？", "私は福岡に引っ越しました。"),
        ("wifi密码在哪里？", "WiFi密码在冰箱上。"),
        ("Who is my dentist 🦷?", "My dentist is Dr. Okafor"),
    ],
)
def test_other_words_of_the_question_tell_nobody_apart(asked: str, text: str) -> None:
    assert not tells_of_other_sign(asked, text)
