"""Small JSON files with what was measured in earlier processes; if the disk fails, nothing is remembered."""

import json
import os
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from accel import config

__all__ = ["recall", "remember"]

_LARGEST = 1 << 16


def recall(key: str) -> Any:
    """Return what was remembered for a key; None if there is nothing, or it cannot be read."""
    try:
        path = _path(key)
        if not path.is_file() or path.stat().st_size > _LARGEST:  # a pipe, for example, may have no end
            return None
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RuntimeError, RecursionError):  # RuntimeError: there is no home folder
        return None
    return value["value"] if isinstance(value, dict) and value.get("key") == key else None


def remember(key: str, value: Any) -> None:
    """Remember a value for later processes, if the folder can be written; the file is replaced at once."""
    with suppress(OSError, RuntimeError):
        path = _path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, path_of_copy = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"key": key, "value": value}, file)
                file.flush()
                os.fsync(file.fileno())
            Path(path_of_copy).replace(path)
        except BaseException:
            Path(path_of_copy).unlink(missing_ok=True)
            raise


def _path(key: str) -> Path:
    folder = Path(config.current().cache_dir).expanduser() / "tuned"
    return folder / f"{sha256(key.encode()).hexdigest()[:32]}.json"
