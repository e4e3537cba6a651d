"""The files that say how the project is built, tested and cited agree with each other."""

import ast
import re
import tomllib

import pytest
import yaml

import accel


@pytest.fixture(scope="module")
def settings(root):
    return tomllib.loads((root / "pyproject.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def workflows(root):
    files = (root / ".github/workflows").glob("*.yml")
    return {file.name: yaml.safe_load(file.read_text("utf-8")) for file in files}


def steps(workflows):
    return [step for flow in workflows.values() for job in flow["jobs"].values() for step in job["steps"]]


def scripts(job):
    """Return the scripts of ci/ that a job runs, each of which is all that a step does."""
    named = job.get("strategy", {}).get("matrix", {}).get("script", [])
    for step in job["steps"]:
        if "run" in step:
            [script] = re.findall(r"^ci/(\w+|\"\$SCRIPT\")(?: [^\n;&|]*)?$", step["run"])
            yield from named if "$" in script else [script]


def test_workflows_run_scripts_of_ci_and_nothing_else(root, workflows):
    flows = {name: [*flow["jobs"].values()] for name, flow in workflows.items()}
    run = {name: {script for job in jobs for script in scripts(job)} for name, jobs in flows.items()}
    assert [script for each in run.values() for script in each if not (root / "ci" / script).is_file()] == []
    assert run["ci.yml"] >= {"check", "docs", "pythons", "release", "test", "types"}


def test_actions_are_pinned_by_hash(workflows):
    for step in steps(workflows):
        assert "run" in step or re.fullmatch(r"[\w/.-]+@[0-9a-f]{40}", step["uses"]), step


def test_the_pythons_of_the_classifiers_are_those_of_the_workflow(settings, workflows):
    named = {line.rpartition(" ")[2] for line in settings["project"]["classifiers"] if "Python :: 3." in line}
    assert named == set(workflows["ci.yml"]["jobs"]["test"]["strategy"]["matrix"]["python"])


def test_the_sessions_of_nox_are_scripts(root):
    tree = ast.parse((root / "noxfile.py").read_text("utf-8"))
    [table] = [node.value for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)]
    assert [key.value for key in table.keys if not (root / "ci" / key.value).is_file()] == []


def test_the_version_is_one(root, settings):
    citation = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))
    assert accel.__version__ == settings["project"]["version"] == citation["version"]


def test_the_recipe_of_conda_needs_what_pyproject_says(root, settings):
    recipe = yaml.safe_load((root / "conda/recipe.yaml").read_text("utf-8"))
    run = {line.replace(" ", "") for line in recipe["requirements"]["run"]}
    project = settings["project"]
    assert run - {"python>=${{python_min}}"} == {
        *project["dependencies"],
        *project["optional-dependencies"]["compiler"],
    }
    assert project["requires-python"] == f">={recipe['context']['python_min']}"
    assert recipe["context"]["version"] == project["version"]
    assert recipe["build"]["python"]["entry_points"] == [
        f"{name} = {target}" for name, target in project["scripts"].items()
    ]


def test_extras_have_no_package_that_only_a_clone_needs(settings):
    extras = {line.split(">")[0] for lines in settings["project"]["optional-dependencies"].values() for line in lines}
    assert extras & {"mypy", "ruff", "import-linter", "scipy-stubs", "pandas", "coverage"} == set()


def test_fragments_of_the_changelog_have_a_known_type(root, settings):
    names = [file.name for file in (root / "changes").glob("*.md") if file.name != "README.md"]
    known = [kind["directory"] for kind in settings["tool"]["towncrier"]["type"]]
    assert [name for name in names if name.split(".")[-2] not in known] == []
