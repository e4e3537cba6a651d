"""The Python of the standard's functions, written from their signatures.

The text repeats the fast paths of `native` and `wrap`, because each call would add to the time of the function.
"""

import ast
from collections.abc import Iterable
from textwrap import indent

import numpy as np

from accel.xp.signatures import parsed

__all__ = ["method_source", "source"]

_TEMPLATE = '''
def {name}({parameters}) -> {returns}:
    """{about}
    """
{keywords}{operands}{large}    try:
        result = {call}
    except (IndexError, MemoryError, OverflowError) as error:
        raise failure(error) from None
{wrapped}'''

_KEYWORDS = """\
    if {present}:
        return with_keywords({name}, ({operands}), {{{named}}}, {options})
"""
_LIBRARY = """\
    library = library_of({arrays})
"""
_SEVERAL_FIRST = """\
    if type({name}) in SEQUENCES and {name} and type({name}[0]) is Array and {name}[0]._native.ndim:
        library = {name}[0]._library
    else:
        library = library_of({arrays})
"""
_SEVERAL = """\
    native_{name} = natives(library, {name})
"""
# No work is pending on memory without a storage, and nothing can release it. The owner of a handle is None after a
# release, and has hazards while work is in flight. Only then is `live` needed.
_LIVE = """\
        if {name}._shared is not None and (handle := {name}._shared.handle) is not None:
            if (owner := handle._owner) is None or owner.hazard_record.hazards is not None:
                live({name})
        native_{name} = {name}._native{in_memory}{sized}
"""
# Of a scalar of NumPy there is no view: what may return one needs an array.
_IN_MEMORY = " if type({name}._native) is library.array_type else in_memory({name})"
# Only on the host; see `accel.xp.large_results`. The size of an operand that is no array is not looked at.
_SIZED = "\n        large = {before}native_{name}.nbytes >= library.large"
_UNSIZED = "\n        large = False"
_LARGE = """\
    if large:
        return large_result({function}, library, {operands})
"""
_LARGE_ELEMENTWISE = """\
    if large:
        return large_operator({function}, library, ({arrays},), ({operands},), large_result)
"""
_LARGE_METHOD = """\
    if large and (shared := large_reduction({name!r}, library, {array}, {passed})) is not None:
        return shared
"""
_LOOPS = """\
    if {array}.nbytes >= library.looped and (looped := loop_result({name!r}, library, {passed})) is not None:
        return looped
"""
_FIRST = f"""\
    if type({{name}}) is Array:
        library = {{name}}._library
{_LIVE}\
    else:
        library = library_of({{arrays}})
        native_{{name}} = {{convert}}(library, {{name}}){{unsized}}
"""
_OTHER = f"""\
    if type({{name}}) is Array and {{name}}._library is library:
{_LIVE}\
    elif type({{name}}) is Array and (leading := library_of({{arrays}})) is not library:
        library = leading
{{again}}\
        native_{{name}} = {{convert}}(library, {{name}})
    else:
        native_{{name}} = {{convert}}(library, {{name}})
"""

# Operands that are arrays have known dtypes, and so have the results.
_CHECKED = """\
    if type({name}) is not Array and result.dtype not in KNOWN:
        refuse_dtype(result.dtype)
"""

_RESULT = """\
    array = Array()
    array._native = result
    array._library = library
    array._shared = {shared}
    return array
"""
# What follows is `wrap` for most results: scalars of the host, new memory, and views of the first operand.
_NEW = f"""\
    if type(result) is not library.based and type(result) not in library.scalar_types:
        return wrap(library, result, {{sources}})
{{checked}}{_RESULT.format(shared=None)}"""
_JOINED = f"""\
    if type(result) is not library.based or result.base is not None:
        return wrap(library, result, {{sources}})
{{checked}}{_RESULT.format(shared=None)}"""
_NEW_OR_VIEW = f"""\
    shared = None
    if type(result) is not library.based:
        if type(result) not in library.scalar_types:
            return wrap(library, result, {{sources}})
    elif (base := result.base) is None:
        if {{is_operand}}:
            return wrap(library, result, {{sources}})
    elif type({{first}}) is Array and (base is native_{{first}} or base is native_{{first}}.base):
        shared = {{first}}._shared or shared_of({{first}})
    else:
        return wrap(library, result, {{sources}})
{{checked}}{_RESULT.format(shared="shared")}"""

# A field of a named tuple is no operand.
_FIELDS = """\
    fields = []
    for field in result:
        if type(field) is ndarray and field.base is None:
            array = Array()
            array._native, array._library, array._shared = field, library, None
            fields.append(array)
        else:
            fields.append(wrap(library, field, {sources}))
    return {returns}._make(fields)
"""


def source(
    row: str,
    namespace: str,
    section: str,
    origin: str,
    page: str,
    *,
    views: bool = True,
    sized: bool = False,
    loops: bool = False,
) -> str:
    """Write the function of a signature, which calls the function of the same name of a namespace.

    Parameters
    ----------
    row : str
        The signature.
    namespace : str
        The expression for the namespace, as in ``library.namespace``.
    section : str
        The part of `accel.xp` that the function belongs to, such as ``linalg``; empty for the main namespace.
    origin, page : str
        What describes the function, and the address of its page there without the name, for the docstring; empty for
        what no user calls.
    views : bool
        Whether the function may return a view of an operand. If not, `accel.xp.large_functions` computes large results.
    sized : bool
        Whether that computes large results of a function that takes no scalar of NumPy, as it takes those of views.
    loops : bool
        Whether `accel.xp.compiled_functions` computes for large arrays.
    """
    (function,) = parsed(row)
    passed = _passed(function.args)
    template = _LARGE_ELEMENTWISE if _is_elementwise(function.name) else "" if views and not sized else _LARGE
    large = template.format(function=f"{namespace}.{function.name}", arrays=_sources(function.args), operands=passed)
    if loops:
        first = _positional(function.args)[0].arg
        large += _LOOPS.format(name=function.name, array=f"native_{first}", passed=passed)
    call = f"{namespace}.{function.name}({passed})"
    text = _about(function, section, origin, page) if origin else f"Compute `{function.name}` of valid arguments."
    return _filled_in(function, call, text, views=views, large=large, sized=bool(large) and not loops)


def _is_elementwise(name: str) -> bool:
    function = getattr(np, name, None)
    return isinstance(function, np.ufunc) and function.signature is None


def method_source(row: str, origin: str, page: str) -> str:
    """Write the function of a signature, which calls what reduces the library's arrays by the same name."""
    (function,) = parsed(row)
    first, *others = _positional(function.args)
    named = _by_keyword(function.args)
    passed = ", ".join([*[_value(each) for each in others if each not in named], *map(_keyword, named)])
    array, name = f"native_{first.arg}", function.name
    call = f"library.reductions.{name}({array}, {passed})"
    large = _LARGE_METHOD.format(name=name, array=array, passed=passed)
    return _filled_in(function, call, _about(function, "", origin, page), views=False, large=large, sized=True)


def _about(function: ast.FunctionDef, *origin: str) -> str:
    from accel.xp.documentation.rows import about  # the tables of texts are read when the first function is compiled

    return about(function, *origin)


def _filled_in(function: ast.FunctionDef, call: str, text: str, *, views: bool, large: str, sized: bool) -> str:
    returns = ast.unparse(function.returns or ast.Constant(None))
    return _TEMPLATE.format(
        name=function.name,
        parameters=ast.unparse(function.args),
        returns=returns,
        about=indent(text, "    ").strip(),
        keywords=_keywords(function),
        operands=_operands(function.args, views, sized),
        large=large,
        call=call,
        wrapped=_wrapped(function.args, returns, views),
    )


def _keywords(function: ast.FunctionDef) -> str:
    """Write the statements for keywords that NumPy has and the standard has not, if the function takes these."""
    signature = function.args
    if signature.kwarg is None:
        return ""
    has_out = any(each.arg == "out" for each in signature.args)
    operands = [*signature.posonlyargs, *signature.args[: len(signature.args) - len(signature.defaults)]]
    several = [f"*{signature.vararg.arg}"] if signature.vararg else []
    named = [each.arg for each in signature.args + signature.kwonlyargs if each.arg != "out" and each not in operands]
    return _KEYWORDS.format(
        name=function.name,
        present="out is not None or options" if has_out else "options",
        operands="".join(f"{each}, " for each in [*(each.arg for each in operands), *several]),
        named=", ".join(f"{each!r}: {each}" for each in named),
        options="options | {'out': out}" if has_out else "options",
    )


def _annotation(parameter: ast.arg) -> str:
    return ast.unparse(parameter.annotation or ast.Constant(None))


def _positional(signature: ast.arguments) -> list[ast.arg]:
    return [*signature.posonlyargs, *(each for each in signature.args if each.arg != "out")]


def _arrays(parameters: Iterable[ast.arg]) -> list[ast.arg]:
    return [parameter for parameter in parameters if "Array" in _annotation(parameter)]


def _are_several(parameter: ast.arg) -> bool:
    return _annotation(parameter) == "Sequence[Array]"


def _sources(signature: ast.arguments) -> str:
    """Write the names of the parameters that can be arrays."""
    arrays = _arrays((*_positional(signature), *signature.kwonlyargs))
    names = [f"*{each.arg}" if _are_several(each) else each.arg for each in arrays]
    return ", ".join([*names, f"*{signature.vararg.arg}"] if signature.vararg else names)


def _operands(signature: ast.arguments, views: bool, sized: bool) -> str:
    """Write the statements that find the library and its arrays, of which the function may return ``views``.

    If they are ``sized``, the statements also find whether one is large.
    """
    sources, arrays = _sources(signature), _arrays(_positional(signature))
    leads = bool(arrays) and not _are_several(arrays[0])
    start = _SEVERAL_FIRST.format(name=arrays[0].arg, arrays=sources) if arrays else _LIBRARY.format(arrays=sources)
    statements = [] if leads else [start]
    for index, each in enumerate(arrays):
        template = _SEVERAL if _are_several(each) else _OTHER if index or not leads else _FIRST
        in_memory = _IN_MEMORY.format(name=each.arg) if views else ""
        again = "".join(f"        {_conversion(earlier)}\n" for earlier in arrays[:index])
        before = "large or " if index else ""
        statements.append(
            template.format(
                name=each.arg,
                arrays=sources,
                convert=_converter(_annotation(each)),
                in_memory=in_memory,
                again=again,
                sized=_SIZED.format(name=each.arg, before=before) if sized else "",
                unsized=_UNSIZED if sized else "",
            )
        )
    return "".join(statements)


def _conversion(parameter: ast.arg) -> str:
    return f"native_{parameter.arg} = {_converter(_annotation(parameter))}(library, {parameter.arg})"


def _converter(annotation: str) -> str:
    if annotation == "Array":
        return "native_array"
    return "native_or_none" if "None" in annotation else "native"


def _value(parameter: ast.arg) -> str:
    """Write the expression for an argument of the library's function, by the annotation of the parameter."""
    name, annotation = parameter.arg, _annotation(parameter)
    if "Array" in annotation:
        return f"native_{name}"
    return f"None if {name} is None else as_dtype({name})" if "DTypeLike" in annotation else name


def _keyword(parameter: ast.arg) -> str:
    name = parameter.arg
    return f"**not_none(library, {name}={name})" if "Array" in _annotation(parameter) else f"{name}={_value(parameter)}"


def _by_keyword(signature: ast.arguments) -> list[ast.arg]:
    """Return the parameters that are passed by keyword: ours can be given by position where the library's cannot."""
    options = signature.args[max(len(signature.args) - len(signature.defaults), 0) :]
    return [each for each in options if "Array" not in _annotation(each)] + signature.kwonlyargs


def _passed(signature: ast.arguments) -> str:
    """Write the arguments of the library's function."""
    named = _by_keyword(signature)
    passed = [_value(parameter) for parameter in _positional(signature) if parameter not in named]
    passed += [f"*natives(library, {signature.vararg.arg})"] if signature.vararg else []
    return ", ".join([*passed, *map(_keyword, named)])


def _wrapped(signature: ast.arguments, returns: str, views: bool) -> str:
    """Write the statements that return the library's result, or several, as arrays; it may be a view if ``views``."""
    sources = _sources(signature)
    if returns != "Array":
        if returns.isidentifier():  # a named tuple
            return _FIELDS.format(sources=sources, returns=returns)
        return f"    return wrap_all(library, result, {sources})\n"
    if signature.vararg or _arrays(signature.kwonlyargs):
        return f"    return wrap(library, result, {sources})\n"
    arrays = _arrays(_positional(signature))
    scalars = any("Scalar" in _annotation(each) for each in arrays)
    first = arrays[0].arg
    template = _NEW if not views else _JOINED if _are_several(arrays[0]) else _NEW_OR_VIEW
    return template.format(
        first=first,
        is_operand=" or ".join(f"result is native_{each.arg}" for each in arrays if not _are_several(each)),
        sources=sources,
        checked=_CHECKED.format(name=first) if scalars else "",
    )
