"""What the docstrings of functions say that change shapes, join, split, repeat and select."""

__all__ = ["TEXT"]

TEXT = """
append
    Return an array with values after its elements.
    values : array_like: What is appended; with an axis in the shape of the array but for that axis.
    axis: The axis along which they are joined; without, both are flattened.
    = A new array.
    >>> xp.append(xp.asarray([1, 2]), xp.asarray([3]))
    Array([1, 2, 3], dtype=int64, device=cpu)
array_split
    Split an array into parts along an axis, which need not be of equal extent.
    = A list of views.
    >>> xp.array_split(xp.asarray([1, 2, 3]), 2)
    [Array([1, 2], dtype=int64, device=cpu), Array([3], dtype=int64, device=cpu)]
atleast_1d
    Return arrays with at least one axis.
    = The array, or a tuple of several.
    >>> xp.atleast_1d(xp.asarray(5))
    Array([5], dtype=int64, device=cpu)
atleast_2d
    Return arrays with at least two axes; new ones come first.
    = The array, or a tuple of several.
    >>> xp.atleast_2d(xp.asarray([1, 2]))
    Array([[1, 2]], dtype=int64, device=cpu)
atleast_3d
    Return arrays with at least three axes.
    = The array, or a tuple of several.
    >>> xp.atleast_3d(xp.asarray([1, 2])).shape
    (1, 2, 1)
broadcast_arrays
    Return arrays as views of one common shape.
    = Read-only views, one for each array.
    >>> xp.broadcast_arrays(xp.asarray([1, 2]), xp.asarray([[3], [4]]))[0]
    Array([[1, 2],
           [1, 2]], dtype=int64, device=cpu)
broadcast_to
    Return an array as a view of another shape: axes of extent 1 are repeated, and new axes come first.
    shape: The shape of the result.
    = A read-only view.
    >>> xp.broadcast_to(xp.asarray([1, 2]), (2, 2))
    Array([[1, 2],
           [1, 2]], dtype=int64, device=cpu)
choose
    Return for each element the one at its place in that of several arrays of which it is the index.
    a: The indices.
    choices : Array or sequence of Array: The arrays to choose from.
    mode : {"raise", "wrap", "clip"}: What to do with an index that is out of range.
    = The chosen elements.
    >>> xp.choose(xp.asarray([0, 1, 0]), xp.asarray([[1, 2, 3], [10, 20, 30]]))
    Array([ 1, 20,  3], dtype=int64, device=cpu)
clip
    Return the elements, limited to an interval.
    min: The least values; no limit without.
    max: The greatest values; no limit without.
    = A new array.
    >>> xp.clip(xp.asarray([1, 5, 9]), 2, 6)
    Array([2, 5, 6], dtype=int64, device=cpu)
column_stack
    Join arrays of one axis as the columns of a matrix; matrices are joined as they are.
    = A new matrix.
    >>> xp.column_stack([xp.asarray([1, 2]), xp.asarray([3, 4])])
    Array([[1, 3],
           [2, 4]], dtype=int64, device=cpu)
compress
    Return the slices along an axis for which a condition is true.
    condition : array_like of bool: One value for each slice; missing ones are false.
    axis: The axis; without, the flattened array.
    = A new array.
    >>> xp.compress([True, False, True], xp.asarray([10, 20, 30]))
    Array([10, 30], dtype=int64, device=cpu)
concat
    Join arrays along an axis that they have.
    arrays: The arrays; their other axes have equal extents.
    axis: The axis; None joins the flattened arrays.
    = A new array.
    >>> xp.concat([xp.asarray([[1, 2]]), xp.asarray([[3, 4]])])
    Array([[1, 2],
           [3, 4]], dtype=int64, device=cpu)
delete
    Return an array without some of the slices along an axis.
    obj : int, slice or Array of int: Which slices to leave out.
    axis: The axis; without, the flattened array.
    = A new array.
    >>> xp.delete(xp.asarray([10, 20, 30]), 1)
    Array([10, 30], dtype=int64, device=cpu)
diag
    Return the diagonal of a matrix, or the matrix that has a vector as its diagonal.
    v: The matrix, or the vector.
    = The diagonal, or the matrix.
    >>> xp.diag(xp.asarray([1, 2]))
    Array([[1, 0],
           [0, 2]], dtype=int64, device=cpu)
diagflat
    Return the matrix that has the flattened elements as its diagonal.
    v : Array: The elements.
    = A new matrix.
    >>> xp.diagflat(xp.asarray([[1, 2]]))
    Array([[1, 0],
           [0, 2]], dtype=int64, device=cpu)
diagonal
    Return the diagonals of matrices, the axes of which are ``axis1`` and ``axis2``.
    a: The matrices.
    = A view; its last axis is along the diagonals.
    >>> xp.diagonal(xp.asarray([[1, 2], [3, 4]]))
    Array([1, 4], dtype=int64, device=cpu)
dsplit
    Split an array into parts along the third axis.
    = A list of views.
    >>> len(xp.dsplit(xp.ones((2, 2, 4)), 2))
    2
dstack
    Join arrays along the third axis.
    = A new array.
    >>> xp.dstack([xp.asarray([1, 2]), xp.asarray([3, 4])])
    Array([[[1, 3],
            [2, 4]]], dtype=int64, device=cpu)
expand_dims
    Return an array with new axes of extent 1.
    axis: Where the new axes are in the result.
    = A view.
    >>> xp.expand_dims(xp.asarray([1, 2]), 0)
    Array([[1, 2]], dtype=int64, device=cpu)
extract
    Return the elements for which a condition is true.
    condition : Array: Of the size of the array.
    = The elements, on one axis.
    >>> xp.extract(xp.asarray([True, False, True]), xp.asarray([10, 20, 30]))
    Array([10, 30], dtype=int64, device=cpu)
flatnonzero
    Return the indices into the flattened array of the elements that are not zero.
    = Indices, on one axis.
    >>> xp.flatnonzero(xp.asarray([[0, 1], [2, 0]]))
    Array([1, 2], dtype=int64, device=cpu)
flip
    Return the elements in reverse order along axes.
    m: The array.
    axis: The axes; all without.
    = A view.
    >>> xp.flip(xp.asarray([1, 2, 3]))
    Array([3, 2, 1], dtype=int64, device=cpu)
fliplr
    Return the elements in reverse order along the second axis.
    m : Array: The array.
    = A view.
    >>> xp.fliplr(xp.asarray([[1, 2], [3, 4]]))
    Array([[2, 1],
           [4, 3]], dtype=int64, device=cpu)
flipud
    Return the elements in reverse order along the first axis.
    m : Array: The array.
    = A view.
    >>> xp.flipud(xp.asarray([[1, 2], [3, 4]]))
    Array([[3, 4],
           [1, 2]], dtype=int64, device=cpu)
hsplit
    Split an array into parts along the second axis; of one axis along this.
    = A list of views.
    >>> xp.hsplit(xp.asarray([1, 2, 3, 4]), 2)
    [Array([1, 2], dtype=int64, device=cpu), Array([3, 4], dtype=int64, device=cpu)]
hstack
    Join arrays along the second axis; those of one axis along this.
    = A new array.
    >>> xp.hstack([xp.asarray([1, 2]), xp.asarray([3])])
    Array([1, 2, 3], dtype=int64, device=cpu)
insert
    Return an array with values before the given indices along an axis.
    obj : int, slice or Array of int: The indices before which values are inserted.
    values : array_like: The values.
    axis: The axis; without, the flattened array.
    = A new array.
    >>> xp.insert(xp.asarray([10, 20]), 1, 15)
    Array([10, 15, 20], dtype=int64, device=cpu)
ix_
    Return indices that select the rows, columns and so on of a grid.
    *args : Array: For each axis the indices along it, or booleans.
    = One index for each axis, which broadcast against each other.
    >>> xp.arange(9).reshape(3, 3)[xp.ix_(xp.asarray([0, 2]), xp.asarray([1, 2]))]
    Array([[1, 2],
           [7, 8]], dtype=int64, device=cpu)
matrix_transpose
    Return matrices with their rows and columns exchanged.
    x: The matrices, on the last two axes.
    = A view.
    >>> xp.matrix_transpose(xp.asarray([[1, 2], [3, 4]]))
    Array([[1, 3],
           [2, 4]], dtype=int64, device=cpu)
meshgrid
    Return the coordinates of the points of a grid, from those along each axis.
    *arrays: The coordinates along each axis, each on one axis.
    indexing: "xy": the first two axes of the results are exchanged, as pictures have them; "ij": they are not.
    = For each array the coordinates of all points.
    >>> xp.meshgrid(xp.asarray([1, 2]), xp.asarray([3, 4]))[0]
    Array([[1, 2],
           [1, 2]], dtype=int64, device=cpu)
moveaxis
    Return an array with some axes at other places; the rest keep their order.
    source: The places of the axes.
    destination: The places of these axes in the result.
    = A view.
    >>> xp.moveaxis(xp.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
pad
    Return an array with elements before and after it along each axis.
    array : Array: The array.
    pad_width : int or sequence: How many elements: one number, or for each axis those before and after.
    mode : str: What they are: "constant", "edge", "linear_ramp", "maximum", "mean", "minimum", "reflect" and so on.
    **kwargs: Options of the mode, such as ``constant_values=``.
    = A new array.
    >>> xp.pad(xp.asarray([1, 2]), 1)
    Array([0, 1, 2, 0], dtype=int64, device=cpu)
permute_dims
    Return an array with its axes in another order.
    axes: The axes in their new order.
    = A view.
    >>> xp.permute_dims(xp.ones((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
ravel
    Return the elements on one axis.
    order: The order in which elements are read: C's, Fortran's, "A" Fortran's if the array is in it, "K" as in memory.
    = A view if possible.
    >>> xp.ravel(xp.asarray([[1, 2], [3, 4]]))
    Array([1, 2, 3, 4], dtype=int64, device=cpu)
ravel_multi_index
    Return indices into a flattened array, from the indices along each axis.
    multi_index : Array or tuple of Array: For each axis the indices along it.
    dims : tuple of int: The shape of the array.
    mode : {"raise", "wrap", "clip"}: What to do with an index that is out of range.
    = Integers.
    >>> xp.ravel_multi_index((xp.asarray([0, 1]), xp.asarray([2, 0])), (2, 3))
    Array([2, 3], dtype=int64, device=cpu)
repeat
    Return an array with each element repeated.
    repeats: How often: one number, or one for each place along the axis.
    axis: The axis; without, the flattened array.
    = A new array.
    >>> xp.repeat(xp.asarray([1, 2]), 2)
    Array([1, 1, 2, 2], dtype=int64, device=cpu)
resize
    Return a new array of a shape: the elements over and over, as many as fit.
    new_shape : int or tuple of int: The shape of the result.
    = A new array.
    >>> xp.resize(xp.asarray([1, 2, 3]), (2, 2))
    Array([[1, 2],
           [3, 1]], dtype=int64, device=cpu)
roll
    Return the elements moved along axes; those that pass the end come first.
    shift: By how many places.
    axis: The axes; without, the flattened array is moved.
    = A new array.
    >>> xp.roll(xp.asarray([1, 2, 3]), 1)
    Array([3, 1, 2], dtype=int64, device=cpu)
rollaxis
    Return an array with one axis before another place; `moveaxis` is easier to use.
    start : int: The axis before which it goes.
    = A view.
    >>> xp.rollaxis(xp.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
rot90
    Return an array, turned by 90 degrees in the plane of two axes.
    m : Array: The array.
    k : int: How often it is turned, from the first axis to the second.
    axes : tuple of int: The two axes.
    = A view.
    >>> xp.rot90(xp.asarray([[1, 2], [3, 4]]))
    Array([[2, 4],
           [1, 3]], dtype=int64, device=cpu)
select
    Return elements of several arrays: for each place that of the first whose condition is true.
    condlist : sequence of Array: The conditions.
    choicelist : sequence of Array: The array for each condition.
    default : scalar: The element where no condition is true.
    = A new array.
    >>> x = xp.arange(5)
    >>> xp.select([x < 2, x > 3], [x, x * 10], default=-1)
    Array([ 0,  1, -1, -1, 40], dtype=int64, device=cpu)
split
    Split an array into parts of equal extent along an axis, or at indices.
    = A list of views.
    >>> xp.split(xp.asarray([1, 2, 3, 4]), 2)
    [Array([1, 2], dtype=int64, device=cpu), Array([3, 4], dtype=int64, device=cpu)]
squeeze
    Return an array without axes of extent 1.
    axis: Which axes; all of extent 1 without.
    = A view.
    >>> xp.squeeze(xp.asarray([[1, 2]]))
    Array([1, 2], dtype=int64, device=cpu)
stack
    Join arrays of equal shapes along a new axis.
    axis: Where the new axis is in the result.
    = A new array.
    >>> xp.stack([xp.asarray([1, 2]), xp.asarray([3, 4])])
    Array([[1, 2],
           [3, 4]], dtype=int64, device=cpu)
swapaxes
    Return an array with two axes exchanged.
    = A view.
    >>> xp.swapaxes(xp.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
take
    Return the elements at indices along an axis.
    indices: The indices.
    axis: The axis; without, the flattened array.
    = A new array.
    >>> xp.take(xp.asarray([10, 20, 30]), xp.asarray([2, 0]))
    Array([30, 10], dtype=int64, device=cpu)
take_along_axis
    Return elements at indices that are their own for each place beside the axis, as `argsort` returns them.
    indices: The indices along the axis.
    = A new array, in the shape of the indices.
    >>> xp.take_along_axis(xp.asarray([[3, 1], [2, 4]]), xp.asarray([[1], [0]]), axis=1)
    Array([[1],
           [2]], dtype=int64, device=cpu)
tile
    Return an array, repeated along each axis.
    A: The array.
    reps: How often along each axis.
    = A new array.
    >>> xp.tile(xp.asarray([1, 2]), 2)
    Array([1, 2, 1, 2], dtype=int64, device=cpu)
transpose
    Return an array with its axes in reverse order, or in another.
    axes: The axes in their new order.
    = A view.
    >>> xp.transpose(xp.asarray([[1, 2], [3, 4]]))
    Array([[1, 3],
           [2, 4]], dtype=int64, device=cpu)
tril
    Return the lower triangles of matrices; the elements above the diagonal are 0.
    m: The matrices, on the last two axes.
    = A new array.
    >>> xp.tril(xp.asarray([[1, 2], [3, 4]]))
    Array([[1, 0],
           [3, 4]], dtype=int64, device=cpu)
trim_zeros
    Return an array without the zeros at its ends.
    filt : Array: The array.
    trim : {"fb", "f", "b"}: Whether to trim the front, the back, or both.
    = A view.
    >>> xp.trim_zeros(xp.asarray([0, 0, 1, 2, 0]))
    Array([1, 2], dtype=int64, device=cpu)
triu
    Return the upper triangles of matrices; the elements below the diagonal are 0.
    m: The matrices, on the last two axes.
    = A new array.
    >>> xp.triu(xp.asarray([[1, 2], [3, 4]]))
    Array([[1, 2],
           [0, 4]], dtype=int64, device=cpu)
unravel_index
    Return the indices along each axis, from indices into a flattened array.
    indices : int or Array: The indices.
    shape : tuple of int: The shape of the array.
    = For each axis the indices along it.
    >>> xp.unravel_index(xp.asarray([2, 3]), (2, 3))
    (Array([0, 1], dtype=int64, device=cpu), Array([2, 0], dtype=int64, device=cpu))
unstack
    Return the slices along an axis.
    = Views without the axis, as many as its extent.
    >>> xp.unstack(xp.asarray([[1, 2], [3, 4]]))
    (Array([1, 2], dtype=int64, device=cpu), Array([3, 4], dtype=int64, device=cpu))
vsplit
    Split an array into parts along the first axis.
    = A list of views.
    >>> xp.vsplit(xp.asarray([[1, 2], [3, 4]]), 2)
    [Array([[1, 2]], dtype=int64, device=cpu), Array([[3, 4]], dtype=int64, device=cpu)]
vstack
    Join arrays along the first axis; those of one axis become rows.
    = A new array.
    >>> xp.vstack([xp.asarray([1, 2]), xp.asarray([3, 4])])
    Array([[1, 2],
           [3, 4]], dtype=int64, device=cpu)
concatenate = concat
"""
"""For each function a summary, the parameters whose text is its own, the result, and an example."""
