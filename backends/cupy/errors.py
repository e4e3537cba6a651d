"""Translation of the errors of CUDA and ROCm to those of `accel.errors`.

The runtime and driver APIs of both platforms use the same words: ``cudaErrorIllegalAddress``,
``CUDA_ERROR_ILLEGAL_ADDRESS``, ``hipErrorIllegalAddress``. The table lists each once, in lower case and without prefix.
"""

from collections.abc import Mapping

from accel.errors import (
    AccelError,
    CapabilityError,
    DeviceLostError,
    DeviceMismatchError,
    DeviceUnavailableError,
    KernelLaunchError,
    OutOfMemoryError,
)

__all__ = ["NOT_CAPTURED", "kind_of", "translated"]

_WORDS: Mapping[type[AccelError], str] = {
    OutOfMemoryError: "memoryallocation outofmemory memoryvaluetoolarge",
    DeviceUnavailableError: """
        nodevice insufficientdriver stublibrary initializationerror notinitialized devicesunavailable deviceunavailable
        devicenotlicensed softwarevaliditynotestablished startupfailure deviceuninitialized devicealreadyinuse
        contextalreadyinuse callrequiresnewerdriver incompatibledrivercontext systemnotready systemdrivermismatch
        compatnotsupportedondevice mpsconnectionfailed mpsservernotready mpsmaxclientsreached
        mpsmaxconnectionsreached operatingsystem
        """,
    DeviceLostError: """
        illegaladdress launchfailure launchfailed launchtimeout hardwarestackerror illegalinstruction misalignedaddress
        invalidaddressspace invalidpc assert eccuncorrectable eccnotcorrectable nvlinkuncorrectable contained
        tensormemoryleak contextisdestroyed invalidcontext cudartunloading deinitialized priorlaunchfailure
        mpsrpcfailure mpsclientterminated externaldevice keyrotation illegalstate runtimememory runtimeother unknown
        """,
    DeviceMismatchError: """
        invaliddevice invalidresourcehandle invalidhandle invaliddevicepointer invalidhostpointer
        invalidmemcpydirection mixeddeviceexecution peeraccessnotenabled contextalreadycurrent
        """,
    CapabilityError: """
        notsupported notpermitted notyetimplemented unsupportedlimit unsupportedexecaffinity unsupporteddevsidesync
        peeraccessunsupported toomanypeers cdpnotsupported cdpversionmismatch jitcompilationdisabled
        streamcaptureunsupported streamcaptureinvalidated streamcapturemerge streamcaptureunmatched
        streamcaptureunjoined streamcaptureisolation streamcaptureimplicit capturedevent streamcapturewrongthread
        """,
    KernelLaunchError: """
        invalidvalue invalidconfiguration invalidpitchvalue invalidsymbol invalidtexture invalidtexturebinding
        invalidchanneldescriptor addressofconstant texturefetchfailed texturenotbound synchronizationerror
        invalidfiltersetting invalidnormsetting invalidsurface duplicatevariablename duplicatetexturename
        duplicatesurfacename missingconfiguration launchmaxdepthexceeded launchfilescopedtex launchfilescopedsurf
        syncdepthexceeded launchpendingcountexceeded invaliddevicefunction invalidkernelimage invalidimage
        mapbufferobjectfailed mapfailed unmapbufferobjectfailed unmapfailed arrayismapped alreadymapped
        nokernelimagefordevice nobinaryforgpu alreadyacquired notmapped notmappedasarray notmappedaspointer invalidptx
        invalidkernelfile invalidgraphicscontext jitcompilernotfound unsupportedptxversion invalidsource filenotfound
        sharedobjectsymbolnotfound sharedobjectinitfailed lossyquery symbolnotfound notfound notready
        launchoutofresources launchincompatibletexturing peeraccessalreadyenabled setonactiveprocess
        primarycontextactive hostmemoryalreadyregistered hostmemorynotregistered cooperativelaunchtoolarge
        timeout
        graphexecupdatefailure invalidclustersize functionnotloaded invalidresourcetype invalidresourceconfiguration
        streamdetached profilerdisabled profilernotinitialized profileralreadystarted profileralreadystopped tbd
        """,
}
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_REMEDIES: Mapping[type[AccelError], str] = {
    OutOfMemoryError: "release what is no longer used, or work in smaller pieces",
    DeviceUnavailableError: "see accel.Device.why_unavailable(), or use device='cpu'",
    DeviceLostError: "the device is lost to this process; save what is on the host, and start another process",
    DeviceMismatchError: "use memory and streams of the device that does the work",
    CapabilityError: "this device or its driver cannot do that",
    KernelLaunchError: "the device refused it, and nothing was done",
}
NOT_CAPTURED = (
    "do this before the capture or after it: a graph has launches of kernels, and copies and fills within a device"
)
"""What to do instead of using a stream that is being captured."""


def kind_of(name: str) -> type[AccelError] | None:
    """Return the error class for the name of a driver's error; None for a name that is not in the table."""
    word = name.removeprefix("CUDA_ERROR_").removeprefix("cudaError").removeprefix("hipError")
    return _KINDS.get(word.replace("_", "").lower())


def translated(error: Exception, device: object) -> AccelError:
    """Return the error of `accel.errors` for an error of a device's driver."""
    # A driver newer than the table may have new names; most errors of drivers are refused launches.
    name = str(error).partition(":")[0]
    kind = kind_of(name) or KernelLaunchError
    remedy = NOT_CAPTURED if "captur" in name.lower() else _REMEDIES[kind]
    return kind(f"the driver of {device} reported {error}; {remedy}")
