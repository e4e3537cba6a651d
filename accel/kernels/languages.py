"""The languages that kernels are translated to: each backend says which it writes, and is found as for a device."""

from accel.abc.kernels import SupportsKernels
from accel.errors import CapabilityError
from accel.registry import NoBackendError, providers

__all__ = ["writer_of"]


def writer_of(language: str) -> SupportsKernels:
    """Return the first backend that writes source text in a language.

    Raises
    ------
    ValueError
        If no backend does; the message has the languages that there are.
    CapabilityError
        If no backend does, and one could not be loaded; the message has the reason too.
    """
    languages, failures = ["ir"], []
    for type in providers.types():
        try:
            backend = providers.get(type)
        except NoBackendError as error:
            failures.append(f"{type}: {error}")
            continue
        if isinstance(backend, SupportsKernels):
            if language in backend.languages:
                return backend
            languages += [each for each in backend.languages if each not in languages]
    message = f"no backend writes kernels in {language!r}; the languages are {', '.join(map(repr, languages))}"
    if failures:
        raise CapabilityError(f"{message} (not loaded: {'; '.join(failures)})")
    raise ValueError(message)
