// In place of NVRTC: the text is compiled by the module fake_nvrtc, for the host. This library is only loaded by a Python.
#include <Python.h>

#include <cstring>
#include <string>

#define API extern "C" __attribute__((visibility("default")))

// As in nvrtc.h, which is part of another package.
enum nvrtcResult { NVRTC_SUCCESS = 0, NVRTC_ERROR_COMPILATION = 6 };
struct Program {
    std::string source, compiled, log;
};
using nvrtcProgram = Program*;

namespace {

constexpr int MAJOR = 13, MINOR = 0, ARCHITECTURE = 90;

std::string text_of(PyObject* object) {
    const char* text = object ? PyUnicode_AsUTF8(object) : nullptr;
    return text ? text : "";
}

PyObject* list_of(int count, const char* const* texts) {
    PyObject* list = PyList_New(count);
    for (int each = 0; each < count; each++) PyList_SetItem(list, each, PyUnicode_FromString(texts[each]));
    return list;
}

// Call fake_nvrtc.compile(source, options), which returns what was compiled and a log; nothing was if there is a log.
void compile(Program& program, int count, const char* const* options) {
    PyObject* module = PyImport_ImportModule("fake_nvrtc");
    PyObject* arguments = list_of(count, options);
    PyObject* result = module ? PyObject_CallMethod(module, "compile", "sO", program.source.c_str(), arguments) : nullptr;
    if (result) {
        program.compiled = text_of(PyTuple_GetItem(result, 0));
        program.log = text_of(PyTuple_GetItem(result, 1));
    } else {
        PyErr_Print();
        program.log = "fake_nvrtc failed";
    }
    Py_XDECREF(result);
    Py_XDECREF(arguments);
    Py_XDECREF(module);
}

nvrtcResult give(const std::string& text, char* buffer) {
    memcpy(buffer, text.c_str(), text.size() + 1);
    return NVRTC_SUCCESS;
}

nvrtcResult give_size(const std::string& text, size_t* size) {
    *size = text.size() + 1;
    return NVRTC_SUCCESS;
}

}  // namespace

API const char* nvrtcGetErrorString(nvrtcResult result) {
    return result == NVRTC_ERROR_COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_INTERNAL_ERROR";
}

API nvrtcResult nvrtcVersion(int* major, int* minor) {
    *major = MAJOR;
    *minor = MINOR;
    return NVRTC_SUCCESS;
}

API nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
    *count = 1;
    return NVRTC_SUCCESS;
}

API nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
    *architectures = ARCHITECTURE;
    return NVRTC_SUCCESS;
}

API nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char*, int, const char* const*,
                                   const char* const*) {
    *program = new Program{source, {}, {}};
    return NVRTC_SUCCESS;
}

API nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
    delete *program;
    return NVRTC_SUCCESS;
}

API nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
    auto state = PyGILState_Ensure();
    compile(*program, count, options);
    PyGILState_Release(state);
    return program->log.empty() ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

API nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* size) { return give_size(program->compiled, size); }
API nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* buffer) { return give(program->compiled, buffer); }
API nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* size) { return give_size(program->compiled, size); }
API nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* buffer) { return give(program->compiled, buffer); }
API nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* size) { return give_size(program->log, size); }
API nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* buffer) { return give(program->log, buffer); }
