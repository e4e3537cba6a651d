"""Words of CUDA in reports, and what kernels of numba.cuda have in their place."""

from collections.abc import Mapping

__all__ = ["OF_NUMBA", "in_words"]

OF_NUMBA: Mapping[str, str] = {
    "a __syncthreads()": "a cuda.syncthreads()",
    "a __syncwarp()": "a cuda.syncwarp()",
    "as by atomicAdd": "as by cuda.atomic.add",
    "as by __ballot_sync": "as by cuda.ballot_sync",
    "as in if (i < n)": "as in if i < x.size",
    "the __shared__ variable": "the shared array",
    "kernels cannot change __constant__ memory: make the variable __device__": (
        "kernels cannot change what cuda.const.array_like gives them: pass the array as an argument"
    ),
    "launch it as a cooperative one": "use fewer blocks, which cuda.cg.this_grid() needs at once",
    "uses what is CUDA, but is not simulated": "uses what is not simulated",
}


def in_words(text: str, words: Mapping[str, str]) -> str:
    """Return a text in other words.

    Examples
    --------
    >>> in_words("let a __syncthreads() come between the two", OF_NUMBA)
    'let a cuda.syncthreads() come between the two'
    """
    for word, other in words.items():
        text = text.replace(word, other)
    return text
