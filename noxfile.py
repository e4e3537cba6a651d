#!/usr/bin/env -S uv run --script
"""Sessions for those who use nox. Each starts a script of ci/, which makes the environment that it needs.

``nox`` runs what a change must pass; ``nox --list`` lists the rest. Arguments after ``--`` go to the script.
"""

# /// script
# dependencies = ["nox>=2024.10.9"]
# ///

import nox

nox.needs_version = ">=2024.10.9"
nox.options.default_venv_backend = "none"

_SCRIPTS = {
    "check": "Check style, stubs, types, import contracts and the files of the project.",
    "test": "Run the tests.",
    "pythons": "Run tests on each Python that is installed, and with the lowest versions of packages.",
    "free_threaded": "Run tests without the global interpreter lock.",
    "release": "Build and check the source distribution and the wheel.",
    "docs": "Make the site of the documentation.",
    "demo": "Run the demonstration.",
}


def _add_session(script: str, summary: str) -> None:
    def session(session: nox.Session) -> None:
        session.run("bash", f"ci/{script}", *session.posargs, external=True)

    session.__doc__ = summary
    nox.session(session, name=script, default=script in {"check", "test"})


for _script, _summary in _SCRIPTS.items():
    _add_session(_script, _summary)

if __name__ == "__main__":
    nox.main()
