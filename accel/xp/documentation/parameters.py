"""What is said of parameters that many functions have: their text, and the type where signatures do not say it."""

__all__ = ["ERRORS", "OF_CREATION", "OF_SECTIONS", "TEXTS"]

TEXTS = {
    "A": ("", "The matrices."),
    "M": ("int", "The number of points; of none or fewer the window is empty."),
    "N": ("", "The number of rows."),
    "a": ("Array", "The array."),
    "a1": ("Array", "The first array."),
    "a2": ("Array", "The second array."),
    "ar1": ("Array", "The first array."),
    "ar2": ("Array", "The second array."),
    "arr": ("Array", "The array."),
    "array": ("Array", "The array."),
    "arrays": ("", "The arrays."),
    "ary": ("Array", "The array."),
    "arys": ("Array", "The arrays."),
    "assume_unique": ("bool", "Whether the elements of each array are unique already, which saves time."),
    "atol": ("float", "The absolute tolerance."),
    "axes": ("", "The axes."),
    "axis": ("int, optional", "The axis, or the axes; negative ones count from the last."),
    "axis1": ("", "The first axis."),
    "axis2": ("", "The second axis."),
    "b": ("Array", "The other array."),
    "casting": ("str", 'Which casts are allowed: "no", "equiv", "safe", "same_kind" or "unsafe".'),
    "correction": ("float, optional", "What the divisor is less than the number of elements; 1 for samples."),
    "ddof": ("float", "What the divisor is less than the number of elements."),
    "descending": ("", "Whether the greatest element comes first."),
    "device": ("Device or str, optional", "The device of the result; by default the current one."),
    "dtype": ("dtype_like, optional", "The dtype in which the function computes, and of the result."),
    "endpoint": ("bool", "Whether ``stop`` is the last number."),
    "equal_nan": ("bool", "Whether nan is equal to nan."),
    "include_initial": ("", "Whether the result starts with the value for no elements."),
    "indices_or_sections": ("int or sequence of int", "The number of parts, or the indices at which they start."),
    "initial": ("scalar, optional", "Where the reduction starts."),
    "invert": ("", "Whether to return the opposite."),
    "k": ("int", "Which diagonal: above the main one if positive, below it if negative."),
    "keepdims": ("bool", "Whether the reduced axes stay in the result, with extent 1."),
    "kind": ("str", "Without effect: the order is stable."),
    "kth": ("int or sequence of int", "Which elements have their place in the order."),
    "like": ("Array, optional", "An array on whose device the result is."),
    "m": ("int, optional", "The number of columns; by default that of the rows."),
    "mean": ("Array, optional", "The means, if they are known."),
    "method": ("str", 'How to choose between two elements: "linear", "lower", "higher", "nearest" and so on.'),
    "n": ("int", "The number of rows."),
    "norm": ("", 'Which direction divides by the extent: "backward", "forward", or both by its root ("ortho").'),
    "num": ("int", "How many numbers."),
    "offset": ("", "Which diagonal: above the main one if positive, below it if negative."),
    "options": ("", "Other keywords of NumPy's function of the same name, such as ``where=``."),
    "order": ("", "Without effect on the elements: the order in memory is that of the library."),
    "out": ("Array, optional", "The array for the result, on the same device; it is returned."),
    "overwrite_input": ("bool", "Whether the array may be used for partial results."),
    "rowvar": ("bool", "Whether each row is a variable, in place of each column."),
    "rtol": ("float", "The relative tolerance."),
    "s": ("", "The extents of the axes before the transform: longer ones are cut, shorter ones filled with zeros."),
    "signature": ("str, optional", "The dtypes of operands and results, as NumPy writes them."),
    "stable": ("", "Without effect: the order is always stable."),
    "start": ("float", "The first number."),
    "stop": ("float", "The last number."),
    "subok": ("bool", "Without effect: arrays have no subclasses."),
    "tup": ("sequence of Array", "The arrays."),
    "val": ("", "The elements."),
    "weights": ("Array, optional", "The weight of each element."),
    "where": ("Array of bool", "Which elements are computed, or count."),
    "x": ("Array", "The elements."),
    "x1": ("Array or scalar", "The first operand."),
    "x2": ("Array or scalar", "The second operand; the shapes of both broadcast."),
    "y": ("Array, optional", "More variables of the same form."),
}
"""For each parameter its type in a docstring, empty where signatures always say it, and its text."""

OF_SECTIONS = {
    "fft": {
        "a": "The elements.",
        "axes": "The axes; all without, or as many of the last ones as ``s`` has.",
        "axis": "The axis.",
        "n": "The extent of the axis before the transform: a longer one is cut, a shorter one filled with zeros.",
    },
    "linalg": {"a": "The matrices, on the last two axes.", "x": "The matrices, on the last two axes."},
}
"""The texts of parameters that are others in a part of the namespace."""

ERRORS = {
    "TypeError": "If no argument is an `Array`.",
    "DeviceMismatchError": "If the arrays are on different devices.",
    "ReleasedError": "If the memory of an array was released.",
}
"""What all functions of arrays raise."""

OF_CREATION = {
    "DeviceUnavailableError": "If the device is not available.",
    "CapabilityError": "If the library that computes on the device has no such function.",
}
"""What functions that create arrays raise."""
