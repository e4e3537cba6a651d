"""What the docstrings of reductions, cumulative functions, searches and sorts say; read as that of elementwise ones."""

__all__ = ["TEXT"]

TEXT = """
all
    Tell whether all elements are true: of the whole array, or along axes.
    Of no elements the result is True.
    >>> xp.all(xp.asarray([[True, False], [True, True]]), axis=1)
    Array([False,  True], dtype=bool, device=cpu)
any
    Tell whether any element is true: of the whole array, or along axes.
    Of no elements the result is False.
    >>> xp.any(xp.asarray([[True, False], [False, False]]), axis=1)
    Array([ True, False], dtype=bool, device=cpu)
argmax
    Return the indices of the greatest elements; of equal ones the first.
    Without an axis it is the index into the flattened array.
    = Integers: without the axis, or with one of extent 1 there if ``keepdims``.
    >>> xp.argmax(xp.asarray([[1, 5, 3], [7, 2, 4]]), axis=1)
    Array([1, 0], dtype=int64, device=cpu)
argmin
    Return the indices of the least elements; of equal ones the first.
    Without an axis it is the index into the flattened array.
    = Integers: without the axis, or with one of extent 1 there if ``keepdims``.
    >>> xp.argmin(xp.asarray([[1, 5, 3], [7, 2, 4]]), axis=1)
    Array([0, 1], dtype=int64, device=cpu)
argpartition
    Return the indices that would partition an array: smaller elements come before the ``kth``, larger ones after it.
    = Indices along the axis, in the shape of the array.
    >>> xp.argpartition(xp.asarray([30, 10, 20]), 0)[0]
    Array(1, dtype=int64, device=cpu)
argsort
    Return the indices that would sort an array along an axis.
    Equal elements keep their order.
    = Indices along the axis, in the shape of the array.
    >>> xp.argsort(xp.asarray([30, 10, 20]))
    Array([1, 2, 0], dtype=int64, device=cpu)
argwhere
    Return the indices of the elements that are not zero, one row for each.
    = Integers of shape ``(number of elements, a.ndim)``.
    >>> xp.argwhere(xp.asarray([[0, 1], [2, 0]]))
    Array([[0, 1],
           [1, 0]], dtype=int64, device=cpu)
average
    Return the average of the elements, weighted if there are weights.
    weights : array_like, optional: One weight for each element, or for each place along the axis.
    returned : bool: Whether to return a tuple of the average and of the sum of the weights.
    = The averages, or the averages and the sums of the weights.
    >>> xp.average(xp.asarray([1.0, 2.0, 4.0]), weights=xp.asarray([1.0, 1.0, 2.0]))
    Array(2.75, dtype=float64, device=cpu)
bincount
    Count how often each number from 0 to the greatest occurs in an array of integers.
    x: Integers that are not negative, on one axis.
    weights : Array, optional: What each element counts; 1 without.
    minlength : int: The least extent of the result.
    = The counts, or the sums of the weights.
    >>> xp.bincount(xp.asarray([0, 1, 1, 3]))
    Array([1, 2, 0, 1], dtype=int64, device=cpu)
count_nonzero
    Count the elements that are not zero: of the whole array, or along axes.
    >>> xp.count_nonzero(xp.asarray([[0, 1], [2, 3]]), axis=0)
    Array([1, 2], dtype=int64, device=cpu)
cumulative_prod
    Return the products of all elements up to each, along an axis.
    = The products; with ``include_initial`` one more, a 1 at the start.
    >>> xp.cumulative_prod(xp.asarray([1, 2, 3, 4]))
    Array([ 1,  2,  6, 24], dtype=int64, device=cpu)
cumulative_sum
    Return the sums of all elements up to each, along an axis.
    = The sums; with ``include_initial`` one more, a 0 at the start.
    >>> xp.cumulative_sum(xp.asarray([1, 2, 3, 4]))
    Array([ 1,  3,  6, 10], dtype=int64, device=cpu)
cumprod
    Return the products of all elements up to each; without an axis of the flattened array.
    = The products.
    >>> xp.cumprod(xp.asarray([[1, 2], [3, 4]]))
    Array([ 1,  2,  6, 24], dtype=int64, device=cpu)
cumsum
    Return the sums of all elements up to each; without an axis of the flattened array.
    = The sums.
    >>> xp.cumsum(xp.asarray([[1, 2], [3, 4]]))
    Array([ 1,  3,  6, 10], dtype=int64, device=cpu)
digitize
    Return the indices of the bins to which the elements belong.
    x: The elements.
    bins : Array: The edges of the bins, sorted upwards or downwards.
    right : bool: Whether a bin includes its right edge in place of its left one.
    = Integers: 0 is before the first edge, and ``len(bins)`` after the last.
    >>> xp.digitize(xp.asarray([0.5, 1.0, 9.0]), xp.asarray([0.0, 1.0, 2.0]))
    Array([1, 2, 3], dtype=int64, device=cpu)
histogram
    Count the elements in each of some bins; return the counts and the edges of the bins.
    bins : int or Array: The number of bins of equal width, or their edges.
    range : tuple of float, optional: The first and the last edge; by default the least and the greatest element.
    density : bool, optional: Whether to return densities, the integral of which is 1, in place of counts.
    weights : Array, optional: What each element counts; 1 without.
    = The counts, and the edges: one more than there are bins.
    >>> counts, edges = xp.histogram(xp.asarray([0.0, 1.0, 1.5, 4.0]), bins=2)
    >>> counts
    Array([3, 1], dtype=int64, device=cpu)
    >>> edges
    Array([0., 2., 4.], dtype=float64, device=cpu)
histogram2d
    Count the points in each of the bins of a plane; return the counts and the edges along both axes.
    x: The first coordinate of each point.
    y : Array: The second coordinate of each point.
    bins : int or sequence: The number of bins along each axis, or for each axis its own number or edges.
    range : sequence, optional: For each axis the first and the last edge.
    density : bool, optional: Whether to return densities, the integral of which is 1, in place of counts.
    weights : Array, optional: What each point counts; 1 without.
    = The counts, the edges along ``x``, and those along ``y``.
    >>> xp.histogram2d(xp.asarray([0.0, 1.0, 2.0]), xp.asarray([0.0, 2.0, 2.0]), bins=2)[0]
    Array([[1., 0.],
           [0., 2.]], dtype=float64, device=cpu)
lexsort
    Return the indices that sort by several keys; the last key is the first criterion.
    keys : Array or sequence of Array: The keys, one for each row.
    = Indices along the axis.
    >>> xp.lexsort(xp.asarray([[1, 2, 3], [1, 1, 0]]))
    Array([2, 0, 1], dtype=int64, device=cpu)
max
    Return the greatest elements: of the whole array, or along axes.
    If an element is nan, so is the result. There has to be an element, or ``initial=``.
    >>> xp.max(xp.asarray([[1, 5, 3], [7, 2, 4]]), axis=1)
    Array([5, 7], dtype=int64, device=cpu)
mean
    Return the means of the elements: of the whole array, or along axes.
    The mean of integers is a floating-point number, and the mean of no elements is nan.
    >>> xp.mean(xp.asarray([[1, 2], [3, 5]]), axis=0)
    Array([2. , 3.5], dtype=float64, device=cpu)
median
    Return the medians of the elements: of the whole array, or along axes.
    Of an even number of elements it is the mean of the two in the middle.
    >>> xp.median(xp.asarray([3.0, 1.0, 2.0, 10.0]))
    Array(2.5, dtype=float64, device=cpu)
min
    Return the least elements: of the whole array, or along axes.
    If an element is nan, so is the result. There has to be an element, or ``initial=``.
    >>> xp.min(xp.asarray([[1, 5, 3], [7, 2, 4]]), axis=1)
    Array([1, 2], dtype=int64, device=cpu)
nanargmax
    Return the indices of the greatest elements that are not nan.
    = Integers: without the axis, or with one of extent 1 there if ``keepdims``.
    >>> xp.nanargmax(xp.asarray([1.0, xp.nan, 3.0]))
    Array(2, dtype=int64, device=cpu)
nanargmin
    Return the indices of the least elements that are not nan.
    = Integers: without the axis, or with one of extent 1 there if ``keepdims``.
    >>> xp.nanargmin(xp.asarray([xp.nan, 2.0, 1.0]))
    Array(2, dtype=int64, device=cpu)
nancumprod
    Return the products of all elements up to each, where nan counts as 1.
    = The products; without an axis those of the flattened array.
    >>> xp.nancumprod(xp.asarray([2.0, xp.nan, 3.0]))
    Array([2., 2., 6.], dtype=float64, device=cpu)
nancumsum
    Return the sums of all elements up to each, where nan counts as 0.
    = The sums; without an axis those of the flattened array.
    >>> xp.nancumsum(xp.asarray([2.0, xp.nan, 3.0]))
    Array([2., 2., 5.], dtype=float64, device=cpu)
nanmax
    Return the greatest elements that are not nan: of the whole array, or along axes.
    >>> xp.nanmax(xp.asarray([1.0, xp.nan, 3.0]))
    Array(3., dtype=float64, device=cpu)
nanmean
    Return the means of the elements that are not nan: of the whole array, or along axes.
    >>> xp.nanmean(xp.asarray([1.0, xp.nan, 3.0]))
    Array(2., dtype=float64, device=cpu)
nanmedian
    Return the medians of the elements that are not nan: of the whole array, or along axes.
    >>> xp.nanmedian(xp.asarray([1.0, xp.nan, 3.0, 5.0]))
    Array(3., dtype=float64, device=cpu)
nanmin
    Return the least elements that are not nan: of the whole array, or along axes.
    >>> xp.nanmin(xp.asarray([1.0, xp.nan, 3.0]))
    Array(1., dtype=float64, device=cpu)
nanpercentile
    Return percentiles of the elements that are not nan.
    q : float or Array: Which percentiles, from 0 to 100.
    = The percentiles; those of several ``q`` are along a first axis.
    >>> xp.nanpercentile(xp.asarray([1.0, xp.nan, 3.0, 5.0]), 50)
    Array(3., dtype=float64, device=cpu)
nanprod
    Return the products of the elements, where nan counts as 1: of the whole array, or along axes.
    >>> xp.nanprod(xp.asarray([2.0, xp.nan, 3.0]))
    Array(6., dtype=float64, device=cpu)
nanquantile
    Return quantiles of the elements that are not nan.
    q : float or Array: Which quantiles, from 0 to 1.
    = The quantiles; those of several ``q`` are along a first axis.
    >>> xp.nanquantile(xp.asarray([1.0, xp.nan, 3.0, 5.0]), 0.5)
    Array(3., dtype=float64, device=cpu)
nanstd
    Return the standard deviations of the elements that are not nan: of the whole array, or along axes.
    >>> xp.nanstd(xp.asarray([1.0, xp.nan, 3.0]))
    Array(1., dtype=float64, device=cpu)
nansum
    Return the sums of the elements, where nan counts as 0: of the whole array, or along axes.
    >>> xp.nansum(xp.asarray([2.0, xp.nan, 3.0]))
    Array(5., dtype=float64, device=cpu)
nanvar
    Return the variances of the elements that are not nan: of the whole array, or along axes.
    >>> xp.nanvar(xp.asarray([1.0, xp.nan, 3.0]))
    Array(1., dtype=float64, device=cpu)
nonzero
    Return the indices of the elements that are not zero, as one array for each axis.
    The tuple is an index: ``a[xp.nonzero(a)]`` are these elements.
    = For each axis the indices along it, in C order of the elements.
    >>> xp.nonzero(xp.asarray([[0, 1], [2, 0]]))
    (Array([0, 1], dtype=int64, device=cpu), Array([1, 0], dtype=int64, device=cpu))
partition
    Return a copy in which smaller elements come before the ``kth`` along an axis, and larger ones after it.
    = The elements, partitioned along the axis.
    >>> xp.partition(xp.asarray([30, 10, 20]), 0)[0]
    Array(10, dtype=int64, device=cpu)
percentile
    Return percentiles of the elements: of the whole array, or along axes.
    q : float or Array: Which percentiles, from 0 to 100.
    = The percentiles; those of several ``q`` are along a first axis.
    >>> xp.percentile(xp.asarray([1.0, 2.0, 3.0, 4.0]), 50)
    Array(2.5, dtype=float64, device=cpu)
prod
    Return the products of the elements: of the whole array, or along axes.
    Integers are multiplied in 64 bits by default, and wrap around. The product of no elements is 1.
    >>> xp.prod(xp.asarray([[1, 2], [3, 4]]), axis=0)
    Array([3, 8], dtype=int64, device=cpu)
ptp
    Return the differences between the greatest and the least elements: of the whole array, or along axes.
    >>> xp.ptp(xp.asarray([[1, 5], [7, 2]]), axis=1)
    Array([4, 5], dtype=int64, device=cpu)
quantile
    Return quantiles of the elements: of the whole array, or along axes.
    q : float or Array: Which quantiles, from 0 to 1.
    = The quantiles; those of several ``q`` are along a first axis.
    >>> xp.quantile(xp.asarray([1.0, 2.0, 3.0, 4.0]), 0.5)
    Array(2.5, dtype=float64, device=cpu)
searchsorted
    Return the indices at which elements would be inserted into a sorted array, such that it stays sorted.
    a: The sorted elements, on one axis.
    v: The elements to insert.
    side: Before equal elements ("left") or after them ("right").
    sorter: The indices that sort ``a``, if it is not sorted.
    = Integers in the shape of ``v``.
    >>> xp.searchsorted(xp.asarray([10, 20, 30]), xp.asarray([5, 20, 35]))
    Array([0, 1, 3], dtype=int64, device=cpu)
sort
    Return the elements in order along an axis.
    Equal elements keep their order, and nan comes last.
    = A new array in the shape of the array.
    >>> xp.sort(xp.asarray([30, 10, 20]), descending=True)
    Array([30, 20, 10], dtype=int64, device=cpu)
std
    Return the standard deviations of the elements: of the whole array, or along axes.
    It is the root of the variance; the divisor is ``n - correction``.
    >>> xp.std(xp.asarray([1.0, 3.0]), correction=1)
    Array(1.41421356, dtype=float64, device=cpu)
sum
    Return the sums of the elements: of the whole array, or along axes.
    Integers are summed in 64 bits by default, and wrap around. The sum of no elements is 0.
    >>> xp.sum(xp.asarray([[1, 2], [3, 4]]), axis=0)
    Array([4, 6], dtype=int64, device=cpu)
trapezoid
    Integrate samples along an axis by the trapezoidal rule.
    y : Array: The samples.
    x : Array, optional: The places of the samples; equal distances without.
    dx : float: The distance of neighbours, if ``x`` is not given.
    = The integrals, without the axis.
    >>> xp.trapezoid(xp.asarray([1.0, 2.0, 3.0]))
    Array(4., dtype=float64, device=cpu)
unique
    Return the unique elements, sorted.
    ar : Array: The elements.
    return_index : bool: Whether to return also the index of the first occurrence of each.
    return_inverse : bool: Whether to return also for each element the index of its value among the unique ones.
    return_counts : bool: Whether to return also how often each occurs.
    axis: The axis along which slices are compared; without, the elements of the flattened array.
    equal_nan : bool: Whether all nan are one value.
    sorted : bool: Whether the unique elements are sorted.
    = The unique elements, or a tuple of these and of what was asked for.
    >>> xp.unique(xp.asarray([3, 1, 3, 2]))
    Array([1, 2, 3], dtype=int64, device=cpu)
unique_all
    Return the unique elements, where each occurs first, the inverse, and how often each occurs.
    = A named tuple of ``values``, ``indices``, ``inverse_indices`` and ``counts``.
    >>> xp.unique_all(xp.asarray([3, 1, 3])).counts
    Array([1, 2], dtype=int64, device=cpu)
unique_counts
    Return the unique elements and how often each occurs.
    = A named tuple of ``values`` and ``counts``.
    >>> xp.unique_counts(xp.asarray([3, 1, 3])).counts
    Array([1, 2], dtype=int64, device=cpu)
unique_inverse
    Return the unique elements, and for each element the index of its value among them.
    = A named tuple of ``values`` and ``inverse_indices``.
    >>> xp.unique_inverse(xp.asarray([3, 1, 3])).inverse_indices
    Array([1, 0, 1], dtype=int64, device=cpu)
unique_values
    Return the unique elements, sorted.
    = The unique elements, on one axis.
    >>> xp.unique_values(xp.asarray([3, 1, 3, 2]))
    Array([1, 2, 3], dtype=int64, device=cpu)
var
    Return the variances of the elements: of the whole array, or along axes.
    It is the mean of the squared distances from the mean; the divisor is ``n - correction``.
    >>> xp.var(xp.asarray([1.0, 3.0]), correction=1)
    Array(2., dtype=float64, device=cpu)
intersect1d
    Return the elements that are in both arrays, sorted.
    return_indices : bool: Whether to return also the indices of the elements in both arrays.
    = The elements, or a tuple of these and of the indices.
    >>> xp.intersect1d(xp.asarray([1, 2, 3]), xp.asarray([3, 2, 7]))
    Array([2, 3], dtype=int64, device=cpu)
setdiff1d
    Return the elements of the first array that are not in the second, sorted.
    = The elements.
    >>> xp.setdiff1d(xp.asarray([1, 2, 3]), xp.asarray([2]))
    Array([1, 3], dtype=int64, device=cpu)
setxor1d
    Return the elements that are in exactly one of two arrays, sorted.
    = The elements.
    >>> xp.setxor1d(xp.asarray([1, 2]), xp.asarray([2, 3]))
    Array([1, 3], dtype=int64, device=cpu)
union1d
    Return the elements that are in one of two arrays or in both, sorted.
    = The elements.
    >>> xp.union1d(xp.asarray([1, 2]), xp.asarray([2, 3]))
    Array([1, 2, 3], dtype=int64, device=cpu)
amax = max
amin = min
"""
"""For each function a summary, more sentences, the parameters whose text is its own, the result, and an example."""
