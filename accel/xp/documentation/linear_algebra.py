"""What the docstrings of `accel.xp.linalg` say."""

__all__ = ["TEXT"]

TEXT = """
linalg.cholesky
    Return the Cholesky factors of symmetric, positive-definite matrices.
    upper: Whether to return the upper factors, in place of the lower ones.
    = Triangular matrices; the lower ones times their transposes are the matrices.
    ! LinAlgError: If a matrix is not positive-definite.
    >>> xp.linalg.cholesky(xp.asarray([[4.0, 2.0], [2.0, 5.0]]))
    Array([[2., 0.],
           [1., 2.]], dtype=float64, device=cpu)
linalg.cond
    Return the condition numbers of matrices.
    p : int, float or str, optional: The norm; by default the ratio of the greatest and the least singular value.
    = A number for each matrix.
    >>> xp.linalg.cond(xp.asarray([[2.0, 0.0], [0.0, 1.0]]))
    Array(2., dtype=float64, device=cpu)
linalg.cross
    Return the cross products of vectors of three elements.
    x1: The first vectors.
    x2: The second vectors.
    axis: The axis of the vectors.
    = The products.
    >>> xp.linalg.cross(xp.asarray([1, 0, 0]), xp.asarray([0, 1, 0]))
    Array([0, 0, 1], dtype=int64, device=cpu)
linalg.det
    Return the determinants of matrices.
    = A number for each matrix.
    >>> xp.linalg.det(xp.asarray([[2.0, 0.0], [0.0, 3.0]])).round(6)
    Array(6., dtype=float64, device=cpu)
linalg.diagonal
    Return the diagonals of matrices.
    offset: Which diagonal: above the main one if positive, below it if negative.
    = A view; its last axis is along the diagonals.
    >>> xp.linalg.diagonal(xp.asarray([[1, 2], [3, 4]]))
    Array([1, 4], dtype=int64, device=cpu)
linalg.eig
    Return the eigenvalues and eigenvectors of square matrices.
    = A named tuple of ``eigenvalues`` and ``eigenvectors``, both complex; the vectors are columns.
    >>> xp.linalg.eig(xp.asarray([[2.0, 0.0], [0.0, 3.0]])).eigenvalues
    Array([2.+0.j, 3.+0.j], dtype=complex128, device=cpu)
linalg.eigh
    Return the eigenvalues and eigenvectors of symmetric or Hermitian matrices.
    = A named tuple of ``eigenvalues`` in ascending order and ``eigenvectors``, which are columns.
    >>> xp.linalg.eigh(xp.asarray([[2.0, 1.0], [1.0, 2.0]])).eigenvalues
    Array([1., 3.], dtype=float64, device=cpu)
linalg.eigvals
    Return the eigenvalues of square matrices.
    = Complex numbers.
    >>> xp.linalg.eigvals(xp.asarray([[2.0, 0.0], [0.0, 3.0]]))
    Array([2.+0.j, 3.+0.j], dtype=complex128, device=cpu)
linalg.eigvalsh
    Return the eigenvalues of symmetric or Hermitian matrices.
    = Real numbers in ascending order.
    >>> xp.linalg.eigvalsh(xp.asarray([[2.0, 1.0], [1.0, 2.0]]))
    Array([1., 3.], dtype=float64, device=cpu)
linalg.inv
    Return the inverses of square matrices.
    = The inverses.
    ! LinAlgError: If a matrix is singular.
    >>> xp.linalg.inv(xp.asarray([[2.0, 0.0], [0.0, 4.0]]))
    Array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float64, device=cpu)
linalg.lstsq
    Return the solutions of linear equations with the least squares of the residuals.
    a: The coefficients, a row for each equation.
    b : Array: The right sides.
    rcond : float, optional: Singular values below this part of the greatest are left out.
    = The solutions, the sums of the squared residuals, the rank, and the singular values.
    >>> xp.linalg.lstsq(xp.asarray([[1.0], [1.0]]), xp.asarray([1.0, 3.0]))[0]
    Array([2.], dtype=float64, device=cpu)
linalg.matrix_norm
    Return the norms of matrices.
    x: The matrices, on the last two axes.
    keepdims: Whether the last two axes stay in the result, with extent 1.
    ord: Which norm: "fro" (root of the sum of squares), "nuc" (sum of singular values), 1, 2, inf and their negatives.
    = A number for each matrix.
    >>> xp.linalg.matrix_norm(xp.asarray([[3.0, 0.0], [0.0, 4.0]]))
    Array(5., dtype=float64, device=cpu)
linalg.matrix_power
    Return square matrices to the power of an integer.
    n: The exponent; a negative one inverts the matrices.
    = The powers.
    >>> xp.linalg.matrix_power(xp.asarray([[1, 1], [0, 1]]), 3)
    Array([[1, 3],
           [0, 1]], dtype=int64, device=cpu)
linalg.matrix_rank
    Return the ranks of matrices: how many singular values are not small.
    A: The matrices.
    rtol: Singular values below this part of the greatest count as zero.
    = An integer for each matrix.
    >>> xp.linalg.matrix_rank(xp.asarray([[1.0, 2.0], [2.0, 4.0]]))
    Array(1, dtype=int64, device=cpu)
linalg.multi_dot
    Return the product of several matrices, in the order of multiplications that takes the least time.
    arrays : sequence of Array: The matrices; the first and the last may be vectors.
    = The product.
    >>> xp.linalg.multi_dot([xp.asarray([[1, 2]]), xp.asarray([[3], [4]]), xp.asarray([[10]])])
    Array([[110]], dtype=int64, device=cpu)
linalg.norm
    Return the norms of vectors or matrices, or of the flattened array.
    x: The elements.
    ord: Which norm, as `vector_norm` and `matrix_norm` have it.
    axis: The axis of the vectors, or the two axes of the matrices.
    = A number for each vector or matrix.
    >>> xp.linalg.norm(xp.asarray([3.0, 4.0]))
    Array(5., dtype=float64, device=cpu)
linalg.outer
    Return the products of all pairs of elements of two vectors.
    x1: The first vector.
    x2: The second vector.
    = A matrix with a row for each element of the first vector.
    >>> xp.linalg.outer(xp.asarray([1, 2]), xp.asarray([1, 10]))
    Array([[ 1, 10],
           [ 2, 20]], dtype=int64, device=cpu)
linalg.pinv
    Return the pseudo-inverses of matrices (Moore and Penrose).
    rtol: Singular values below this part of the greatest count as zero.
    = The pseudo-inverses.
    >>> xp.linalg.pinv(xp.asarray([[2.0, 0.0], [0.0, 0.0]]))
    Array([[0.5, 0. ],
           [0. , 0. ]], dtype=float64, device=cpu)
linalg.qr
    Return the QR factors of matrices: orthonormal columns, and an upper triangle.
    mode: "reduced": as many columns as the lesser extent; "complete": a square matrix Q.
    = A named tuple of ``Q`` and ``R``.
    >>> abs(xp.linalg.qr(xp.asarray([[3.0, 0.0], [4.0, 5.0]])).R).round(6)
    Array([[5., 4.],
           [0., 3.]], dtype=float64, device=cpu)
linalg.slogdet
    Return the signs and the logarithms of the magnitudes of determinants, which do not overflow.
    = A named tuple of ``sign`` and ``logabsdet``.
    >>> xp.linalg.slogdet(xp.asarray([[-1.0, 0.0], [0.0, 1.0]])).sign
    Array(-1., dtype=float64, device=cpu)
linalg.solve
    Return the solutions of square linear equations.
    a: The coefficients, square matrices.
    b: The right sides: a vector if it has one axis, else matrices.
    = The solutions.
    ! LinAlgError: If a matrix is singular.
    >>> xp.linalg.solve(xp.asarray([[2.0, 0.0], [0.0, 4.0]]), xp.asarray([2.0, 8.0]))
    Array([1., 2.], dtype=float64, device=cpu)
linalg.svd
    Return the singular value decompositions of matrices.
    full_matrices: Whether ``U`` and ``Vh`` are square; if not, they have as many columns and rows as there are values.
    = A named tuple of ``U``, the singular values ``S`` in descending order, and ``Vh``.
    >>> xp.linalg.svd(xp.asarray([[3.0, 0.0], [0.0, 4.0]])).S
    Array([4., 3.], dtype=float64, device=cpu)
linalg.svdvals
    Return the singular values of matrices.
    x: The matrices, on the last two axes.
    = The values, in descending order.
    >>> xp.linalg.svdvals(xp.asarray([[3.0, 0.0], [0.0, 4.0]]))
    Array([4., 3.], dtype=float64, device=cpu)
linalg.tensordot
    Return the sums of products over several axes of two arrays.
    x1: The first array.
    x2: The second array.
    axes: How many of the last axes of ``x1`` and the first of ``x2``; or for each array which axes.
    = The sums: the other axes of the first array, then those of the second.
    >>> xp.linalg.tensordot(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 10]), axes=1)
    Array([21, 43], dtype=int64, device=cpu)
linalg.tensorinv
    Return the inverse of an array for `tensordot`.
    ind : int: How many of the first axes are one side of the equation.
    = The inverse: its last axes are the first ones of the array.
    >>> xp.linalg.tensorinv(xp.reshape(xp.eye(4), (4, 2, 2)), ind=1).shape
    (2, 2, 4)
linalg.trace
    Return the sums along the diagonals of matrices.
    x: The matrices, on the last two axes.
    offset: Which diagonal: above the main one if positive, below it if negative.
    = A number for each matrix.
    >>> xp.linalg.trace(xp.asarray([[1, 2], [3, 4]]))
    Array(5, dtype=int64, device=cpu)
linalg.vector_norm
    Return the norms of vectors, or of the flattened array.
    x: The elements.
    axis: The axes of the vectors; all without.
    ord: Which norm: 1, 2 and so on; inf is the greatest magnitude, and 0 the number of non-zeros.
    = A number for each vector.
    >>> xp.linalg.vector_norm(xp.asarray([[3.0, 4.0], [6.0, 8.0]]), axis=1)
    Array([ 5., 10.], dtype=float64, device=cpu)
linalg.matmul = matmul
linalg.matrix_transpose = matrix_transpose
linalg.vecdot = vecdot
"""
"""For each function a summary, the parameters whose text is its own, the result, errors, and an example."""
