"""What the docstrings of `accel.xp.fft` say."""

__all__ = ["TEXT"]

TEXT = """
fft.fft
    Return the discrete Fourier transform along an axis.
    = Complex numbers; that of frequency 0 is the first.
    >>> xp.fft.fft(xp.asarray([1.0, 0.0, 0.0, 0.0]))
    Array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex128, device=cpu)
fft.fftn
    Return the discrete Fourier transform along several axes.
    = Complex numbers.
    >>> xp.fft.fftn(xp.asarray([[1.0, 0.0], [0.0, 0.0]]))
    Array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]], dtype=complex128, device=cpu)
fft.fftshift
    Move the frequency 0 of a transform to the middle of the axes.
    x: The transform.
    axes: Which axes; all without.
    = A new array.
    >>> xp.fft.fftshift(xp.asarray([0, 1, -2, -1]))
    Array([-2, -1,  0,  1], dtype=int64, device=cpu)
fft.hfft
    Return the transform of a signal that is symmetric, as its spectrum is real.
    a: The first half of the signal.
    n: The extent of the result along the axis; by default ``2 * (m - 1)`` for ``m`` elements.
    = Real numbers.
    >>> xp.fft.hfft(xp.asarray([1.0 + 0j, 1.0, 1.0]))
    Array([4., 0., 0., 0.], dtype=float64, device=cpu)
fft.ifft
    Return the inverse of the discrete Fourier transform along an axis.
    = Complex numbers.
    >>> xp.fft.ifft(xp.asarray([4.0 + 0j, 0.0, 0.0, 0.0]))
    Array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex128, device=cpu)
fft.ifftn
    Return the inverse of the discrete Fourier transform along several axes.
    = Complex numbers.
    >>> xp.fft.ifftn(xp.asarray([[4.0 + 0j, 0.0], [0.0, 0.0]]))
    Array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]], dtype=complex128, device=cpu)
fft.ifftshift
    Move the frequency 0 of a transform from the middle of the axes to their start: the inverse of `fftshift`.
    x: The transform.
    axes: Which axes; all without.
    = A new array.
    >>> xp.fft.ifftshift(xp.asarray([-2, -1, 0, 1]))
    Array([ 0,  1, -2, -1], dtype=int64, device=cpu)
fft.ihfft
    Return the inverse of `hfft`: the first half of a symmetric signal, from its real spectrum.
    a: The real spectrum.
    = Complex numbers: ``n // 2 + 1`` along the axis.
    >>> xp.fft.ihfft(xp.asarray([4.0, 0.0, 0.0, 0.0]))
    Array([1.-0.j, 1.-0.j, 1.-0.j], dtype=complex128, device=cpu)
fft.irfft
    Return the inverse of `rfft`: real numbers, from the first half of their spectrum.
    a: The first half of the spectrum.
    n: The extent of the result along the axis; by default ``2 * (m - 1)`` for ``m`` elements.
    = Real numbers.
    >>> xp.fft.irfft(xp.asarray([4.0 + 0j, 0.0, 0.0]))
    Array([1., 1., 1., 1.], dtype=float64, device=cpu)
fft.irfftn
    Return the inverse of `rfftn`: real numbers, from the first half of their spectrum.
    a: The spectrum, of which the last axis is half.
    = Real numbers.
    >>> xp.fft.irfftn(xp.asarray([[4.0 + 0j, 0.0], [0.0, 0.0]]))
    Array([[1., 1.],
           [1., 1.]], dtype=float64, device=cpu)
fft.rfft
    Return the first half of the discrete Fourier transform of real numbers; the other half is its conjugate.
    a: The real numbers.
    = Complex numbers: ``n // 2 + 1`` along the axis.
    >>> xp.fft.rfft(xp.asarray([1.0, 0.0, 0.0, 0.0]))
    Array([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex128, device=cpu)
fft.rfftn
    Return the discrete Fourier transform of real numbers along several axes; of the last axis the first half.
    a: The real numbers.
    = Complex numbers: ``n // 2 + 1`` along the last axis.
    >>> xp.fft.rfftn(xp.asarray([[1.0, 0.0], [0.0, 0.0]]))
    Array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]], dtype=complex128, device=cpu)
"""
"""For each function a summary, the parameters whose text is its own, the result, and an example."""
