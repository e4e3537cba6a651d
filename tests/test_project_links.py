"""Links of README in a release: absolute, from the one address that the project's owner sets."""

import runpy
from pathlib import Path

import pytest

SCRIPT = runpy.run_path(str(Path(__file__).parents[1] / "ci/project_links.py"))
project_url, with_absolute_links = SCRIPT["project_url"], SCRIPT["with_absolute_links"]


@pytest.fixture
def readme(root):
    return (root / "README.md").read_text(encoding="utf-8")


def test_links_and_pictures_lead_to_the_project(readme):
    released = with_absolute_links(readme, "https://example.org/project")
    assert "](https://example.org/project/blob/HEAD/docs/guide/start.md)" in released
    assert "](https://example.org/project/raw/HEAD/docs/guide/pictures/race.svg)" in released
    assert "](docs/" not in released


def test_headings_and_other_sites_are_left_alone():
    text = "[a](#heading), [b](https://example.com/page)"
    assert with_absolute_links(text, "https://example.org/project") == text


def test_readme_names_no_address_of_the_project_itself(readme, root):
    url = project_url(root)
    assert url is None or url not in readme


def test_the_address_is_that_of_the_source(tmp_path):
    project = tmp_path / "pyproject.toml"
    project.write_text("[project]\nname = 'a'\n")
    assert project_url(tmp_path) is None
    project.write_text("[project]\nname = 'a'\n[project.urls]\nSource = 'https://example.org/a/'\n")
    assert project_url(tmp_path) == "https://example.org/a"
