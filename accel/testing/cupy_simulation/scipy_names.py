"""The names of `cupyx.scipy` that SciPy computes on the host: those that CuPy has."""

__all__ = ["NAMES"]

NAMES = {
    "fft": """
        dct dctn dst dstn fft fft2 fftfreq fftn fftshift fht hfft hfft2 hfftn idct idctn idst idstn ifft ifft2 ifftn
        ifftshift ifht ihfft ihfft2 ihfftn irfft irfft2 irfftn next_fast_len rfft rfft2 rfftfreq rfftn
    """,
    "interpolate": """
        BarycentricInterpolator BSpline InterpolatedUnivariateSpline KroghInterpolator LinearNDInterpolator
        LSQUnivariateSpline NdBSpline NearestNDInterpolator PPoly RBFInterpolator RegularGridInterpolator
        UnivariateSpline barycentric_interpolate interp1d interpn krogh_interpolate make_interp_spline make_lsq_spline
    """,
    "linalg": """
        bandwidth block_diag circulant companion convolution_matrix dft expm fiedler fiedler_companion hadamard hankel
        helmert hilbert khatri_rao kron leslie lu lu_factor lu_solve solve_triangular toeplitz tri tril triu
    """,
    "ndimage": """
        affine_transform binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss
        binary_opening binary_propagation black_tophat center_of_mass convolve convolve1d correlate correlate1d
        distance_transform_edt extrema find_objects fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform
        gaussian_filter gaussian_filter1d gaussian_gradient_magnitude gaussian_laplace generate_binary_structure
        generic_gradient_magnitude generic_laplace grey_closing grey_dilation grey_erosion grey_opening histogram
        iterate_structure label labeled_comprehension laplace map_coordinates maximum maximum_filter maximum_filter1d
        maximum_position mean median median_filter minimum minimum_filter minimum_filter1d minimum_position
        morphological_gradient morphological_laplace percentile_filter prewitt rank_filter rotate shift sobel
        spline_filter spline_filter1d standard_deviation sum sum_labels uniform_filter uniform_filter1d value_indices
        variance white_tophat zoom
    """,
    "signal": """
        BadCoefficients StateSpace TransferFunction ZerosPolesGain abcd_normalize argrelextrema argrelmax argrelmin
        band_stop_obj bilinear bilinear_zpk bode buttap butter buttord cheb1ap cheb1ord cheb2ap cheb2ord cheby1 cheby2
        check_COLA check_NOLA chirp choose_conv_method coherence cont2discrete convolve convolve2d correlate correlate2d
        correlation_lags csd cspline1d cspline1d_eval cspline2d dbode decimate deconvolve detrend dfreqresp dimpulse
        dlsim dlti dstep ellip ellipap ellipord fftconvolve filtfilt find_peaks findfreqs firls firwin firwin2 freqresp
        freqs freqs_zpk freqz freqz_sos freqz_zpk gammatone gauss_spline gausspulse get_window group_delay hilbert
        hilbert2 iircomb iirdesign iirfilter iirnotch iirpeak impulse invres invresz istft kaiser_atten kaiser_beta
        kaiserord lfilter lfilter_zi lfiltic lombscargle lp2bp lp2bp_zpk lp2bs lp2bs_zpk lp2hp lp2hp_zpk lp2lp lp2lp_zpk
        lsim lti max_len_seq medfilt medfilt2d minimum_phase normalize oaconvolve order_filter peak_prominences
        peak_widths periodogram place_poles qspline1d qspline1d_eval qspline2d resample resample_poly residue residuez
        savgol_coeffs savgol_filter sawtooth sepfir2d sos2tf sos2zpk sosfilt sosfilt_zi sosfiltfilt sosfreqz spectrogram
        spline_filter square ss2tf ss2zpk step stft sweep_poly symiirorder1 symiirorder2 tf2sos tf2ss tf2zpk
        unique_roots unit_impulse upfirdn vectorstrength welch wiener zpk2sos zpk2ss zpk2tf
    """,
    "signal.windows": """
        barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine exponential flattop gaussian
        general_cosine general_gaussian general_hamming get_window hamming hann kaiser nuttall parzen taylor triang
        tukey
    """,
    "sparse.csgraph": "connected_components",
    "sparse.linalg": """
        LinearOperator aslinearoperator cg cgs eigsh factorized gmres lobpcg lsmr lsqr matrix_power minres norm spilu
        splu spsolve spsolve_triangular svds
    """,
    "spatial": "Delaunay KDTree distance_matrix",
    "spatial.distance": """
        canberra cdist chebyshev cityblock correlation cosine euclidean hamming hellinger jensenshannon kl_divergence
        minkowski pdist russellrao sqeuclidean
    """,
    "special": """
        bdtr bdtrc bdtri beta betainc betaincinv betaln binom boxcox boxcox1p btdtr btdtri cbrt chdtr chdtrc chdtri
        cosdg cosm1 cotdg digamma ellipeinc ellipj ellipk ellipkinc ellipkm1 entr erf erfc erfcinv erfcx erfinv exp1
        exp10 exp2 expi expit expm1 expn exprel fdtr fdtrc fdtri gamma gammainc gammaincc gammainccinv gammaincinv
        gammaln gammasgn gdtr gdtrc huber i0 i0e i1 i1e inv_boxcox inv_boxcox1p j0 j1 k0 k0e k1 k1e kl_div lambertw
        log1p log_expit log_ndtr log_softmax loggamma logit logsumexp lpmv multigammaln nbdtr nbdtrc nbdtri ndtr ndtri
        pdtr pdtrc pdtri poch polygamma pseudo_huber psi radian rel_entr rgamma round shichi sici sinc sindg softmax
        sph_harm_y spherical_yn tandg wright_bessel xlog1py xlogy y0 y1 yn zeta zetac
    """,
    "stats": "boxcox_llf entropy trim_mean zmap zscore",
}
"""By the module of SciPy that has them."""
