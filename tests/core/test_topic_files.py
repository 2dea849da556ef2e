"""Topic files: what is written is read back, and every mistake in one gets a line that names it."""

from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from salticid.errors import UserError
from salticid.topic import Scope, Topic
from salticid.truth import Truth, load_topic, save_topic

GOOD = 'name = "t"\nkeywords = "jumping spiders"\nseeds = ["http://a.example/"]\n'

_text = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.sampled_from(["a\r\nb", "\r", '"""', "'''", "\\u0041", "\\", "\x00\x1f\x7f", "\ufeff", "\u2028", "= [x]", "#"]),
)
_some = st.one_of(_text.filter(bool), st.just(" "))
_texts = st.lists(_text, max_size=3).map(tuple)
_scopes = st.builds(Scope, _texts, _texts, st.booleans(), st.none() | st.integers(-5, 2**40))
_topics = st.builds(
    Topic,
    name=_some,
    keywords=_some,
    seeds=st.lists(_text, min_size=1, max_size=3).map(tuple),
    examples=_texts,
    negatives=_texts,
    language=st.none() | _text,
    scope=_scopes,
)
_truths = st.builds(Truth, description=_text, targets=_texts)


@given(_topics, _truths)
@example(Topic("t", "k", ("s",), scope=Scope(same_site=True)), Truth("a\r\nb\rc\n", ("\x00",)))
@example(Topic("t", "k", ("s",), language="", scope=Scope(max_depth=0)), Truth())
def test_what_is_saved_is_loaded(topic: Topic, truth: Truth) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "topic.toml")
        save_topic(file, topic, truth)
        assert load_topic(file) == (topic, truth)


def test_every_key(tmp_path: Path) -> None:
    file = tmp_path / "topic.toml"
    more = 'description = "d"\nlanguage = "de"\nexamples = ["e"]\nnegatives = ["n"]\ntargets = ["x", "y"]\n'
    scope = '[scope]\ninclude = ["i"]\nexclude = ["o"]\nsame_site = true\nmax_depth = 3\n'
    file.write_text(GOOD + more + scope)
    topic, truth = load_topic(file)
    told = ("t", "jumping spiders", ("http://a.example/",), ("e",), ("n",), "de")
    assert topic == Topic(*told, scope=Scope(("i",), ("o",), True, 3))
    assert truth == Truth("d", ("x", "y"))
    file.write_text(GOOD)
    assert load_topic(file) == (Topic("t", "jumping spiders", ("http://a.example/",)), Truth())


@given(_topics, _truths)
def test_a_crawler_is_told_nothing_of_the_truth(topic: Topic, truth: Truth) -> None:
    assert {field.name for field in fields(Topic)} & {field.name for field in fields(Truth)} == set()
    secret = Truth(f"secret {truth.description}", (*truth.targets, "http://secret.example/"))
    with TemporaryDirectory() as folder:
        file = Path(folder, "topic.toml")
        save_topic(file, topic, secret)
        assert "secret" in file.read_text()
        assert load_topic(file)[0] == topic


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (GOOD + 'examples = [1]', "Expected `str`, got `int` - at `$.examples[0]`"),
        (GOOD + 'language = 3', "Expected `str | array | null`, got `int` - at `$.language`"),
        (GOOD.replace('"t"', "3"), "Expected `str`, got `int` - at `$.name`"),
        (GOOD.replace('["http://a.example/"]', '"http://a.example/"'), "Expected `array`, got `str` - at `$.seeds`"),
        (GOOD + "scope = 1", "Expected `object | null`, got `int` - at `$.scope`"),
        (GOOD + '[scope]\nmax_depth = "three"', "Expected `int | null`, got `str` - at `$.scope.max_depth`"),
        (GOOD + 'exampels = []', "no key 'exampels'; did you mean 'examples'?"),
        (GOOD + 'colour = "red"', "no key 'colour'; there is: about, description, examples, keywords, language, name, "
                                  "negatives, scope, seeds, targets"),
        (GOOD + '"a b`c" = 1', "no key 'a b`c'; there is: about"),
        (GOOD + '"two\\nlines" = 1', r"no key 'two\nlines'; there is: about"),
        (GOOD + "[scope]\ndepth = 3", "no key 'depth'; did you mean 'max_depth'?"),
        (GOOD + "[scope]\ntargets = []", "no key 'targets'; there is: exclude, hosts, include, max_depth, same_site"),
        ('keywords = "k"\nseeds = ["s"]', "the key 'name' is missing; name, keywords and seeds are required"),
        ('name = "t"\nseeds = ["s"]', "the key 'keywords' is missing"),
        ('name = "t"\nkeywords = "k"', "the key 'seeds' is missing"),
        ("", "the key 'name' is missing"),
        (GOOD.replace('"t"', '""'), "name is empty; give it a name"),
        (GOOD.replace('"jumping spiders"', '""'), "keywords is empty; give it words to look for"),
        (GOOD.replace('"http://a.example/"', ""), "seeds is empty; give it a URL to start from"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_topic(tmp_path: Path, data: str, said: str) -> None:
    file = tmp_path / "topic.toml"
    file.write_text(data)
    with pytest.raises(UserError) as error:
        load_topic(file)
    assert str(error.value).startswith(f"{file}: {said}")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "data",
    [
        b"no TOML at all", b'name = "t', b"name = 't'\nname = 'u'", b"[", b"\x00\x01\x02", b"\xff\xfe",
        b"\x89PNG\r\n\x1a\n", GOOD.encode("utf-16"), b"<html>", b"name = 2020-13-45", b"x = " + b"[" * 50_000,
    ],
)  # fmt: skip
def test_a_file_that_is_no_toml(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "topic.toml"
    file.write_bytes(data)
    with pytest.raises(UserError) as error:
        load_topic(file)
    assert str(error.value).startswith(f"{file} is no TOML file: ")
    assert "\n" not in str(error.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    for path, cause in ((tmp_path / "none.toml", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(UserError) as error:
            load_topic(path)
        assert str(error.value) == f"cannot read topic file {path}: {cause}; name a TOML file"


@given(st.binary(max_size=80))
def test_any_bytes_are_a_topic_or_a_users_mistake(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "topic.toml")
        file.write_bytes(data)
        with pytest.raises(UserError):
            load_topic(file)
        file.write_bytes(GOOD.encode() + data)
        try:
            name = load_topic(file)[0].name
        except UserError:
            name = "t"
        assert name == "t"
