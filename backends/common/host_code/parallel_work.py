"""Prints how a launch runs its steps: which threads do the iterations, and whether Python waits for them.

What cuts a range into pieces is compiled once, for all kernels.

A range is cut into pieces by its length alone, so that totals do not depend on the number of threads. Threads take the
pieces one by one. Python's lock is released during work that takes long.
"""

from accel.abc import Failure
from accel.ir import Loop, Program, Threads

from .accumulators import PARTIAL
from .estimates import ENDLESS, PIECE, cost, cost_of_step
from .process_words import Word, at
from .slots import THREADS, WORD, Slots
from .text import Text

__all__ = ["run", "sharing"]

_PIECES = 192
"""Most pieces of a range. There are 1, 2, 4, or 3 times a power of 2, so that 2, 3, 4 or 6 threads do as much each."""

_LONG = 1 << 22
"""Operations for which Python's lock is released: fewer take less time than another thread may keep it."""

# A job: task, arguments, iterations, pieces, totals, bytes of the totals of a piece, threads, the name of the kernel;
# then for each thread the number of pieces that were taken from its part. A thread takes first the pieces of its own
# part: these are in the caches of its processor if the thread did them in the launch before. Its mark is the name of
# the kernel while it works.
_WORK = f"""declare i32 @pthread_setspecific(i64, ptr)
define internal void @work(ptr %job, i64 %own) {{
begin:
  %at.args = getelementptr i64, ptr %job, i64 1
  %at.count = getelementptr i64, ptr %job, i64 2
  %at.pieces = getelementptr i64, ptr %job, i64 3
  %at.totals = getelementptr i64, ptr %job, i64 4
  %at.size = getelementptr i64, ptr %job, i64 5
  %at.threads = getelementptr i64, ptr %job, i64 6
  %at.name = getelementptr i64, ptr %job, i64 7
  %task = load ptr, ptr %job
  %args = load ptr, ptr %at.args
  %count = load i64, ptr %at.count
  %pieces = load i64, ptr %at.pieces
  %totals = load ptr, ptr %at.totals
  %size = load i64, ptr %at.size
  %threads = load i64, ptr %at.threads
  %name = load ptr, ptr %at.name
  %each = udiv i64 %count, %pieces
  %rest = urem i64 %count, %pieces
  %key = load i64, ptr {at(Word.MARK)}
  %mark = call ptr @pthread_getspecific(i64 %key)
  %marked = call i32 @pthread_setspecific(i64 %key, ptr %name)
  br label %visit
visit:
  %visited = phi i64 [0, %begin], [%next.visit, %empty]
  %all = icmp uge i64 %visited, %threads
  br i1 %all, label %end, label %part
part:
  %turn = add i64 %own, %visited
  %whose = urem i64 %turn, %threads
  %after = add i64 %whose, 1
  %scaled = mul i64 %pieces, %whose
  %scaled.after = mul i64 %pieces, %after
  %first = udiv i64 %scaled, %threads
  %last = udiv i64 %scaled.after, %threads
  %line = mul i64 %after, 8
  %taken = getelementptr i64, ptr %job, i64 %line
  br label %take
take:
  %number.taken = atomicrmw add ptr %taken, i64 1 monotonic
  %piece = add i64 %first, %number.taken
  %some = icmp ult i64 %piece, %last
  br i1 %some, label %do, label %empty
do:
  %start = mul i64 %piece, %each
  %longer = call i64 @llvm.umin.i64(i64 %piece, i64 %rest)
  %low = add i64 %start, %longer
  %more = icmp ult i64 %piece, %rest
  %one = zext i1 %more to i64
  %length = add i64 %each, %one
  %high = add i64 %low, %length
  %offset = mul i64 %piece, %size
  %partial = getelementptr i8, ptr %totals, i64 %offset
  call void %task(ptr %args, i64 %low, i64 %high, ptr %partial)
  br label %take
empty:
  %next.visit = add i64 %visited, 1
  br label %visit
end:
  %unmarked = call i32 @pthread_setspecific(i64 %key, ptr %mark)
  ret void
}}
"""

_OVERFLOW = "declare {i64, i1} @llvm.umul.with.overflow.i64(i64, i64)"
_OPERATIONS = """define internal i64 @operations(i64 %count, i64 %cost) alwaysinline {
begin:
  %product = call {i64, i1} @llvm.umul.with.overflow.i64(i64 %count, i64 %cost)
  %exact = extractvalue {i64, i1} %product, 0
  %huge = extractvalue {i64, i1} %product, 1
  %operations = select i1 %huge, i64 -1, i64 %exact
  ret i64 %operations
}
"""

# A process that ends waits for the launches that run without Python's lock. Later ones keep the lock, so that it waits
# for them too.
_SHARE = f"""declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.ctlz.i64(i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
{_OVERFLOW}
define i64 @share(ptr %task, ptr %args, i64 %count, i64 %cost, ptr %totals, i64 %size, i64 %endless, ptr %name) {{
begin:
  %none = icmp eq i64 %count, 0
  br i1 %none, label %nothing, label %some
nothing:
  ret i64 0
some:
  %operations = call i64 @operations(i64 %count, i64 %cost)
  %portions = udiv i64 %operations, {PIECE}
  %few = call i64 @llvm.umin.i64(i64 %portions, i64 {_PIECES})
  %pairs = and i64 %few, -2
  %thirds = udiv i64 %few, 3
  %zeros = call i64 @llvm.ctlz.i64(i64 %thirds, i1 false)
  %power = sub i64 63, %zeros
  %sixes = shl i64 3, %power
  %small = icmp ult i64 %few, 6
  %even = select i1 %small, i64 %pairs, i64 %sixes
  %positive = call i64 @llvm.umax.i64(i64 %even, i64 1)
  %pieces = call i64 @llvm.umin.i64(i64 %positive, i64 %count)
  %at.limit = getelementptr i8, ptr %args, i64 {THREADS}
  %threads = load i64, ptr %at.limit
  %team = call i64 @llvm.umin.i64(i64 %threads, i64 %pieces)
  %lines = add i64 %team, 1
  %job = alloca [8 x i64], i64 %lines, align 64
  %memory = alloca [4 x i64]
  %nbytes = mul i64 %lines, 64
  call void @llvm.memset.p0.i64(ptr align 64 %job, i8 0, i64 %nbytes, i1 false)
  %at.args = getelementptr i64, ptr %job, i64 1
  %at.count = getelementptr i64, ptr %job, i64 2
  %at.pieces = getelementptr i64, ptr %job, i64 3
  %at.totals = getelementptr i64, ptr %job, i64 4
  %at.size = getelementptr i64, ptr %job, i64 5
  %at.threads = getelementptr i64, ptr %job, i64 6
  %at.name = getelementptr i64, ptr %job, i64 7
  store ptr %task, ptr %job
  store ptr %args, ptr %at.args
  store i64 %count, ptr %at.count
  store i64 %pieces, ptr %at.pieces
  store ptr %totals, ptr %at.totals
  store i64 %size, ptr %at.size
  store i64 %team, ptr %at.threads
  store ptr %name, ptr %at.name
  %word = getelementptr i8, ptr %args, i64 {WORD}
  %much = icmp uge i64 %operations, {_LONG}
  %forever = icmp ne i64 %endless, 0
  %long = or i1 %much, %forever
  br i1 %long, label %release, label %choose
release:
  call void @begin(ptr %word, ptr %memory)
  br label %choose
choose:
  %several = icmp ugt i64 %team, 1
  br i1 %several, label %many, label %alone
many:
  call void @launch(ptr @work, ptr %job, i64 %team)
  br label %done
alone:
  call void @work(ptr %job, i64 0)
  br label %done
done:
  br i1 %long, label %acquire, label %end
acquire:
  call void @finish(ptr %word, ptr %memory)
  br label %end
end:
  ret i64 %pieces
}}
"""


def sharing() -> str:
    """Return the text of the function ``share``, which cuts a range into pieces, for all kernels."""
    return f"{_OPERATIONS}\n{_WORK}\n{_SHARE}"


def run(program: Program, slots: Slots, helpers: dict[str, str]) -> str:
    """Return the function that runs all steps, and tells whether it did.

    If the launch is to be brief, and would release Python's lock or has several steps, nothing is done.
    """
    text = Text(helpers)
    text.declare("{i64, i1}", "llvm.umul.with.overflow.i64", "i64", "i64")
    text.helper("operations", _OPERATIONS)
    share = text.declare("i64", "process.share", *["ptr", "ptr", "i64", "i64", "ptr", "i64", "i64", "ptr"])
    for place in range(slots.record, slots.record + 8 * len(Failure._fields) * program.debug, 8):
        text.do(f"store i64 0, ptr {_at(text, place)}")
    most = max((len(step.reductions) for step in program.steps if isinstance(step, Loop)), default=0)
    totals = text.slot("i8", "totals", _PIECES * PARTIAL * most) if most else "null"
    for number, step in enumerate(program.steps):
        size = PARTIAL * len(step.reductions) if isinstance(step, Loop) else 0
        count, operations = "1", str(cost_of_step(step))
        if isinstance(step, Loop):
            count = text.value(f"call i64 @count{number}(ptr %args)", "count")
        elif isinstance(step, Threads):
            numbers = [text.value(f"load i64, ptr {_at(text, slots.grid + 8 * place)}") for place in range(6)]
            count, block = (_product(text, numbers[part : part + 3]) for part in (0, 3))
            operations = text.value(f"mul i64 {block}, {operations}")
        endless = int(cost(step.body) >= ENDLESS)
        if number == 0:
            _refuse(text, len(program.steps) > 1, endless, count, operations)
        arguments = f"ptr @step{number}, ptr %args, i64 {count}, i64 {operations}, ptr {totals}, i64 {size}"
        pieces = text.value(f"call i64 {share}({arguments}, i64 {endless}, ptr @name)", "pieces")
        word = text.value(f"load i64, ptr {_at(text, WORD)}", "word")
        text.branch(text.value(f"icmp eq i64 {word}, 0"), f"fine{number}", "end")
        text.block(f"fine{number}")
        if size:
            text.do(f"call void @finish{number}(ptr %args, ptr {totals}, i64 {pieces})")
    text.block("end")
    text.leave("i1 true")
    return text.function("zeroext i1 @run(ptr %args, i1 zeroext %brief)")


def _refuse(text: Text, several: bool, endless: int, count: str, cost: str) -> None:
    """Return from the function if the launch is to be brief, and may take long."""
    operations = text.value(f"call i64 @operations(i64 {count}, i64 {cost})")
    much = text.value(f"icmp uge i64 {operations}, {_LONG}")
    long = "true" if several or endless else much
    text.branch(text.value(f"and i1 %brief, {long}"), "refuse", "start")
    text.block("refuse")
    text.leave("i1 false")
    text.block("start")


def _at(text: Text, place: int) -> str:
    return text.value(f"getelementptr i8, ptr %args, i64 {place}", "slot")


def _product(text: Text, numbers: list[str]) -> str:
    first = text.value(f"mul i64 {numbers[0]}, {numbers[1]}")
    return text.value(f"mul i64 {first}, {numbers[2]}")
