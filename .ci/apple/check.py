#!/usr/bin/env python3
"""Type-checks the package for macOS 15 and iOS 18 on a machine without Apple's SDKs: `./dev apple`.

    check.py --build .build [macos|ios]... [--only MODULE]...

Checks whole function bodies, with the compiler's own availability checker: symbols that are newer than the systems that the
package names, imports that only one branch has, functions that Darwin's C library does not have or has with other types. It
links and runs nothing. Documentation/Platforms.md says what that leaves open.

How: the toolchain has its Swift modules as text, which the compiler reads again for an Apple target. Apple's C headers come
with the package ziglang of PyPI. Foundation and the other frameworks are the stubs beside this file, with the signatures that
Apple documents, as far as the package uses them: if one is missing ("cannot find ... in scope"), add it there. The sources and
flags of each module come from the plan of a build. Dependencies are compiled without bodies, and their errors do not count.

Exit codes: 0 if all compiles, 1 if not, 3 if the check cannot run here.
"""
import argparse, glob, hashlib, json, os, re, shutil, subprocess, sys, zipfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TOOLCHAIN = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(shutil.which("swiftc"))), ".."))
LINUX = f"{TOOLCHAIN}/lib/swift/linux"
HEADERS = "ziglang==0.15.2"

# What an app on a phone can link. iOS has no libcurl, no subprocesses, and no server.
IOS = """Cofferdam CofferdamSupport CofferdamState CofferdamStore CofferdamPages CofferdamContracts CofferdamTesting CofferdamGate CofferdamUpgrade
CofferdamDevice CofferdamRehearsal CofferdamSides CofferdamTelemetry cofferdam_side_probe Screens""".split()
SYSTEMS = {  # x86_64, because the interfaces were written for it and name Float80
    "macos": ("x86_64-apple-macos15.0", "x86_64-apple-macos", None, {"SQLite", "CommandLine", "Telemetry", "Curl", "Fleet"}),
    "ios": ("x86_64-apple-ios18.0-simulator", "x86_64-apple-ios-simulator", IOS, {"SQLite", "Telemetry"}),
}
# The frameworks, in the order in which they use each other.
STUBS = {"macos": "Dispatch Foundation System CryptoKit".split(), "ios": "Dispatch Foundation System CryptoKit SwiftUI UIKit".split()}
# What only a trait links.
TRAIT_OF = {"GRDB": "SQLite", "ArgumentParser": "CommandLine", "Subprocess": "CommandLine", "CoreMetrics": "Telemetry",
            "Tracing": "Telemetry", "CofferdamCurl": "Curl", "CofferdamFleet": "Fleet", "Crypto": "Fleet", "SystemPackage": "none"}
# On SwiftNIO and Hummingbird, which nothing here stands in for.
LEFT_OUT = {"CofferdamServer", "cofferdam_server", "CofferdamStand"}

C_HEADERS = """ctype errno fenv inttypes locale math setjmp signal stdio stdlib string strings time wchar wctype aio alloca arpa/inet
copyfile crt_externs dirent dlfcn err execinfo fcntl fmtmsg fnmatch fts ftw getopt glob grp iconv ifaddrs langinfo libgen libproc
malloc/malloc monetary net/if net/if_dl netdb netinet/in netinet/tcp nl_types poll pthread pwd regex runetype sched search semaphore
spawn sysexits syslog termios ulimit unistd utime utmpx uuid/uuid vis wordexp xlocale sys/acl sys/attr sys/clonefile sys/event
sys/file sys/filio sys/ioccom sys/ioctl sys/ipc sys/mman sys/mount sys/msg sys/param sys/paths sys/poll sys/proc sys/proc_info
sys/qos sys/queue sys/random sys/resource sys/select sys/sem sys/shm sys/signal sys/socket sys/sockio sys/stat sys/statvfs sys/sysctl
sys/syslimits sys/termios sys/time sys/times sys/ttycom sys/types sys/ucred sys/uio sys/un sys/utsname sys/wait sys/unistd mach/mach
mach/mach_time mach/mach_error mach/task mach/task_info mach/thread_act mach/vm_map os/lock TargetConditionals""".split()


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


class CannotRun(Exception):
    pass


def download_headers(folder):
    """Apple's C headers, as a wheel."""
    wheels = glob.glob(f"{folder}/ziglang-*.whl")
    if not wheels:
        print("downloading Apple's C headers (ziglang, from PyPI)", file=sys.stderr, flush=True)
        done = run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, HEADERS)
        wheels = glob.glob(f"{folder}/ziglang-*.whl")
        if done.returncode or not wheels:
            raise CannotRun(f"Apple's C headers cannot be downloaded from PyPI: {done.stderr.strip().splitlines()[-1:]}")
    return wheels[0]


class SDK:
    """An SDK of one system, as far as the compiler reads one to check types."""

    def __init__(self, folder, system, wheel):
        self.target, self.file, _, _ = SYSTEMS[system]
        self.system, self.path, self.cache = system, f"{folder}/{system}.sdk", f"{folder}/{system}-cache"
        self.flags = ["-target", self.target, "-sdk", self.path, "-module-cache-path", self.cache, "-disable-objc-interop"]
        # Made again for another compiler and other stubs.
        parts = [run("swiftc", "--version").stdout] + [open(f"{HERE}/{name}").read() for name in
                 ["check.py", "Darwin.swiftinterface"] + [f"{name}.swift" for name in STUBS[system]]]
        state = hashlib.sha256("".join(parts).encode()).hexdigest()
        mark = f"{self.path}/state"
        self.is_new = not os.path.exists(mark) or open(mark).read() != state
        if not self.is_new: return
        for path in (self.path, self.cache): shutil.rmtree(path, ignore_errors=True)
        os.makedirs(f"{self.path}/usr/include")
        self.c_headers(wheel)
        self.interfaces()
        self.darwin()
        for name in STUBS[system]: self.stub(name)
        with open(mark, "w") as file: file.write(state)

    def c_headers(self, wheel):
        include, prefix = f"{self.path}/usr/include", "ziglang/lib/libc/include/any-macos-any/"
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if not name.startswith(prefix) or name.endswith("/"): continue
                os.makedirs(os.path.dirname(f"{include}/{name[len(prefix):]}"), exist_ok=True)
                with open(f"{include}/{name[len(prefix):]}", "wb") as file: file.write(archive.read(name))
        here = [name for name in C_HEADERS if os.path.exists(f"{include}/{name}.h")]
        with open(f"{include}/module.modulemap", "w") as file:
            file.write("module Darwin [system] {\n" + "".join(f'  header "{name}.h"\n' for name in here) + "  export *\n}\n")
            file.write('module MachO [system] {\n  module dyld { header "mach-o/dyld.h" export * }\n')
            file.write('  module loader { header "mach-o/loader.h" export * }\n  export *\n}\n')
        # macOS has libcurl and zlib, with the same interfaces as everywhere; both systems have SQLite.
        for name in ["sqlite3.h"] + ["curl", "zlib.h", "zconf.h"] * (self.system == "macos"):
            for place in (f"/usr/include/{os.uname().machine}-linux-gnu", "/usr/include"):
                if not os.path.exists(f"{include}/{name}") and os.path.exists(f"{place}/{name}"):
                    (shutil.copytree if os.path.isdir(f"{place}/{name}") else shutil.copy)(f"{place}/{name}", f"{include}/{name}")

    def module_folder(self, module):
        folder = f"{self.path}/usr/lib/swift/{module}.swiftmodule"
        os.makedirs(folder, exist_ok=True)
        return folder

    def interfaces(self):
        """The standard library, with Darwin's names for the C library's."""
        for path in glob.glob(f"{LINUX}/*.swiftmodule/x86_64-unknown-linux-gnu.swiftinterface"):
            module = path.split("/")[-2].removesuffix(".swiftmodule")
            if module in ("Glibc", "Cxx", "CxxStdlib", "_TestDiscovery", "_Testing_Foundation"): continue
            text = open(path).read().replace("x86_64-unknown-linux-gnu", self.target, 1)
            text = re.sub(r"^import Glibc$", "import Darwin", text, flags=re.M)
            text = re.sub(r"\b(Swift)?Glibc\.", "Darwin.", text)
            text = re.sub(r"@backDeployed\(before:[^)]*\)\s*", "", text)  # it needs a body, which the text does not have
            text = text.replace("_swift_stdlib_gettid()", "UInt32(0)")
            # Span and all on it: older systems need a library for it, which `swift build` and copied programs do not bring along.
            text = re.sub(r"@available\(macOS 10\.14\.4, iOS 12\.2, watchOS 5\.2, tvOS 12\.2, visionOS 1\.0, \*\)",
                          "@available(macOS 26.0, iOS 26.0, watchOS 26.0, tvOS 26.0, visionOS 26.0, *)", text)
            head, body = text.split("\n", 5)[:5], text.split("\n", 5)[5]
            head = [line.replace(" -target-min-inlining-version min", "").replace(" -library-level api", "") for line in head]
            with open(f"{self.module_folder(module)}/{self.file}.swiftinterface", "w") as file: file.write("\n".join(head) + "\n" + body)

    def darwin(self):
        """Darwin's Swift overlay: Glibc's, without what is Linux's own, and with Apple's additions."""
        text = open(f"{LINUX}/Glibc.swiftmodule/x86_64-unknown-linux-gnu.swiftinterface").read()
        text = text[text.index("import Swift\n"):]
        start, end = text.index("extension SwiftOverlayShims.timespec"), text.index('@available(swift, deprecated: 4.2, renamed: "abs")')
        text = text[:text.rindex("@available", 0, start)] + text[end:]
        text = re.sub(r"public typealias sighandler_t.*?(?=public typealias Semaphore)", "", text, flags=re.S)
        text = re.sub(r"public typealias Semaphore.*\n", "", text).replace("Glibc.Semaphore", "Swift.UnsafeMutablePointer<Darwin.sem_t>")
        text = text.replace("@_exported import SwiftGlibc", "@_exported import Darwin").replace("import SwiftOverlayShims\n", "")
        text = re.sub(r"\b(SwiftGlibc|SwiftOverlayShims|Glibc)\.", "Darwin.", text)
        text = text.split("extension Darwin.POSIXErrorCode")[0]
        text = "\n".join(part for part in re.split(r"\n(?=@|public )", text) if "Float80" not in part)
        compiler = run("swiftc", "--version").stdout.split("\n")[0].strip()
        flags = f"-target {self.target} -disable-objc-interop -enable-library-evolution -swift-version 5 -O -module-name Darwin"
        head = f"// swift-interface-format-version: 1.0\n// swift-compiler-version: {compiler}\n// swift-module-flags: {flags}\n"
        additions = open(f"{HERE}/Darwin.swiftinterface").read()
        with open(f"{self.module_folder('Darwin')}/{self.file}.swiftinterface", "w") as file: file.write(f"{head}{text.rstrip()}\n{additions}")

    def stub(self, module):
        result = f"{self.module_folder(module)}/{self.file}.swiftmodule"
        done = run("swiftc", "-frontend", "-emit-module", "-o", result, "-module-name", module, *self.flags, "-swift-version", "5",
                   "-parse-as-library", "-experimental-skip-all-function-bodies", "-suppress-warnings", f"{HERE}/{module}.swift")
        if done.returncode: sys.exit(f"the stub of {module} does not compile:\n{done.stderr}")


class Plan:
    """The modules of the package and its dependencies, with their sources and flags."""

    def __init__(self, build):
        plans = sorted(glob.glob(f"{build}/debug.yaml") + glob.glob(f"{build}/release.yaml"), key=os.path.getmtime)
        if not plans: raise CannotRun(f"no plan of a build in {build}")
        self.modules = {}
        pattern = r'  "C\.([^"]+)\.module":\n    tool: shell\n    inputs: (\[.*\])\n    outputs: .*\n    description: .*\n    args: (\[.*\])\n'
        for found in re.finditer(pattern, open(plans[-1]).read()):
            # A macro or plug-in runs on this machine.
            if "-tool" in found[1]: continue
            arguments = json.loads(found[3])
            self.modules[arguments[arguments.index("-module-name") + 1]] = (json.loads(found[2]), arguments)
        self.traits = {argument[2:] for _, arguments in self.modules.values() for argument in arguments
                       if re.fullmatch(r"-D[A-Z]\w+", argument)} - {"SWIFT_PACKAGE", "DEBUG", "SWIFT_MODULE_RESOURCE_BUNDLE_UNAVAILABLE"}
        folder = f"{ROOT}/Examples/Screens"
        screens = sorted(glob.glob(f"{folder}/*.swift"))
        if screens: self.modules["Screens"] = (screens + ["/Modules/CofferdamStore.swiftmodule", "/Modules/CofferdamState.swiftmodule", "/Modules/Cofferdam.swiftmodule"],
                                               ["-swift-version", "6", "-package-name", "screens"])

    def sources(self, module):
        return [path for path in self.modules[module][0] if path.endswith(".swift")]

    def is_ours(self, module):
        return "/checkouts/" not in self.sources(module)[0]

    def libraries(self):
        """The kit's modules."""
        return [name for name in self.modules if "/Sources/Kit/" in self.sources(name)[0] and name not in LEFT_OUT]


class Check:
    def __init__(self, sdk, plan):
        self.sdk, self.plan, self.traits = sdk, plan, SYSTEMS[sdk.system][3]
        self.done, self.failed, self.lines = set(), False, []
        self.out = f"{os.path.dirname(sdk.path)}/{sdk.system}-modules"
        if sdk.is_new: shutil.rmtree(self.out, ignore_errors=True)
        os.makedirs(self.out, exist_ok=True)

    def module(self, name):
        if name in self.done or name not in self.plan.modules: return
        self.done.add(name)
        inputs, arguments = self.plan.modules[name]
        for path in inputs:
            other = re.search(r"/Modules/(\w+)\.swiftmodule$", path)
            if other and TRAIT_OF.get(other[1], "SQLite") in self.traits: self.module(other[1])
        sources, result = self.plan.sources(name), f"{self.out}/{name}.swiftmodule"
        is_ours = self.plan.is_ours(name)
        if not is_ours and os.path.exists(result): return
        command = ["swiftc", "-frontend", "-emit-module", "-o", result, "-module-name", name, *self.sdk.flags, "-I", self.out, "-Onone",
                   "-enable-testing", "-plugin-path", f"{TOOLCHAIN}/lib/swift/host/plugins", "-plugin-path",
                   f"{TOOLCHAIN}/lib/swift/host/plugins/testing", *self.arguments(arguments)]
        if not is_ours:
            run(*command, "-experimental-allow-module-with-compiler-errors", "-experimental-skip-all-function-bodies",
                "-suppress-warnings", *sources)
            return
        done = run(*command, *sources)
        if done.returncode:  # once more with what other modules need of it
            lenient = run(*command, "-experimental-allow-module-with-compiler-errors", *sources)
            if not self.messages(done): done = lenient
        messages = self.messages(done)
        # A dependency's own error counts only if it hides ours.
        unseen = done.returncode != 0 and not messages and "<unknown>:0: error" not in done.stderr
        state = "ok" if not messages and not unseen else f"{len(messages)} errors and warnings"
        self.lines.append(f"{self.sdk.system:5}  {name}: {state}, {len(sources)} files")
        self.lines += [f"    {line.replace(ROOT + '/', '')}" for line in messages] + ([done.stderr[-2000:]] if unseen else [])
        self.failed = self.failed or bool(messages) or unseen

    def messages(self, done):
        """Errors and warnings at a line of ours; the two passes of one file give some twice."""
        found = [line for line in done.stderr.split("\n") if re.match(rf"{re.escape(ROOT)}/\S+:\d+:\d+: (error|warning): ", line)]
        return list(dict.fromkeys(line for line in found if "/checkouts/" not in line))

    def arguments(self, arguments):
        kept, rest = [], iter(arguments)
        for flag in rest:
            if flag in ("-swift-version", "-enable-upcoming-feature", "-enable-experimental-feature", "-package-name"): kept += [flag, next(rest)]
            elif flag == "-Xcc":
                value = next(rest)
                if value not in ("-fPIC", "-g", "-fno-omit-frame-pointer"): kept += [flag, value]
            elif flag == "-Xfrontend": next(rest)
            elif flag.startswith("-D") and (flag[2:] not in self.plan.traits or flag[2:] in self.traits): kept.append(flag)
            elif flag == "-parse-as-library" and flag not in kept: kept.append(flag)
        return kept


def check(system, folder, plan, wheel, only):
    done = Check(SDK(folder, system, wheel), plan)
    names = SYSTEMS[system][2] or plan.libraries()
    for name in only or names:
        if name not in plan.modules: raise CannotRun(f"the build has no module {name}")
        done.module(name)
    return done


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", default=f"{ROOT}/.build")
    options.add_argument("--folder", default=f"{ROOT}/.build-apple")
    options.add_argument("--only", action="append", metavar="MODULE")
    options.add_argument("systems", nargs="*", metavar="macos|ios")
    chosen = options.parse_args()
    for system in chosen.systems:
        if system not in SYSTEMS: options.error(f"'{system}' is not one of {', '.join(SYSTEMS)}")
    os.makedirs(chosen.folder, exist_ok=True)
    try:
        if not os.path.isdir(LINUX): raise CannotRun("it needs Swift's toolchain for Linux; on a Mac, build with Xcode instead")
        plan, wheel = Plan(chosen.build), download_headers(chosen.folder)
        with ThreadPoolExecutor() as pool:
            jobs = [pool.submit(check, system, chosen.folder, plan, wheel, chosen.only) for system in chosen.systems or SYSTEMS]
            results = [job.result() for job in jobs]
    except CannotRun as error:
        print(f"the check for Apple's systems cannot run here: {error}", file=sys.stderr)
        sys.exit(3)
    for result in results: print("\n".join(result.lines))
    sys.exit(1 if any(result.failed for result in results) else 0)


if __name__ == "__main__": main()
