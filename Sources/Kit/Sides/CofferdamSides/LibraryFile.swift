#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reads the header of a library's file, because a loader's own message often names neither the architecture nor the
/// format.
enum LibraryFile {
    /// Returns the absolute path of a file, without symbolic links.
    static func resolve(_ path: String) throws(SideLibraryError.Reason) -> String {
        guard let resolved = realpath(path, nil) else {
            if errno == ENOENT || errno == ENOTDIR { throw .missing }
            throw .unreadable(String(cString: strerror(errno)))
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// - Throws: why this process cannot load the file.
    static func check(_ path: String) throws(SideLibraryError.Reason) {
        let bytes = try head(of: path)
        let found = try architectures(bytes)
        guard found.contains(process) else {
            throw .otherArchitecture(side: found.map(\.description).joined(separator: ", "), process: "\(process)")
        }
    }

    /// Returns as many bytes as a header needs.
    private static func head(of path: String) throws(SideLibraryError.Reason) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(file, &bytes, bytes.count)
        guard count >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
        return Array(bytes[..<count])
    }

    /// Returns the architectures for which a library was built. Only a "fat" library has several.
    static func architectures(_ bytes: [UInt8]) throws(SideLibraryError.Reason) -> [Architecture] {
        guard bytes.count >= 4 else {
            throw .notALibrary(bytes.isEmpty ? "the file is empty" : "the file has \(bytes.count) bytes")
        }
        switch Array(bytes[..<4]) {
        case [0x7f, 0x45, 0x4c, 0x46]: return [try elf(bytes)]
        case [0xcf, 0xfa, 0xed, 0xfe], [0xce, 0xfa, 0xed, 0xfe]: return [try machO(bytes)]
        case [0xca, 0xfe, 0xba, 0xbe]: return try fatMachO(bytes)
        default:
            let isText = bytes.allSatisfy { (0x20..<0x7f).contains($0) || (0x09...0x0d).contains($0) }
            throw .notALibrary(isText ? "it is text" : "it is neither ELF nor Mach-O")
        }
    }

    /// The layout: https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html
    private static func elf(_ bytes: [UInt8]) throws(SideLibraryError.Reason) -> Architecture {
        guard bytes.count >= 20 else { throw .notALibrary("its ELF header is cut off") }
        let isBigEndian = bytes[5] == 2
        func half(at index: Int) -> Int {
            let (a, b) = (Int(bytes[index]), Int(bytes[index + 1]))
            return isBigEndian ? a << 8 | b : b << 8 | a
        }
        let sharedObject = 3
        guard half(at: 16) == sharedObject else {
            let kinds = [1: "an object file", 2: "an executable", 4: "a core file"]
            throw .notALibrary("it is \(kinds[half(at: 16)] ?? "an ELF file of kind \(half(at: 16))")")
        }
        let machines = [
            3: "i386", 8: "mips", 20: "ppc", 21: "ppc64", 22: "s390x", 40: "arm", 62: "x86_64", 183: "arm64",
            243: "riscv64",
        ]
        let machine = half(at: 18)
        return Architecture(.elf, machines[machine] ?? "machine \(machine)")
    }

    /// The layout: <mach-o/loader.h>
    private static func machO(_ bytes: [UInt8]) throws(SideLibraryError.Reason) -> Architecture {
        guard bytes.count >= 16 else { throw .notALibrary("its Mach-O header is cut off") }
        func word(at index: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[index + $1]) << (8 * $1) } }
        let (dynamicLibrary, bundle) = (6, 8)
        guard [dynamicLibrary, bundle].contains(word(at: 12)) else {
            throw .notALibrary("it is a Mach-O file of kind \(word(at: 12))")
        }
        return Architecture(.machO, machine(word(at: 4)))
    }

    /// The layout: <mach-o/fat.h>
    private static func fatMachO(_ bytes: [UInt8]) throws(SideLibraryError.Reason) -> [Architecture] {
        func word(at index: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(bytes[index + $1]) } }
        let (header, entry) = (8, 20)
        // A Java class file begins with the same bytes, followed by its version instead of the number of architectures.
        guard bytes.count >= header, (1...16).contains(word(at: 4)), bytes.count >= header + word(at: 4) * entry else {
            throw .notALibrary("it is neither ELF nor Mach-O")
        }
        return (0..<word(at: 4)).map { Architecture(.machO, machine(word(at: header + $0 * entry))) }
    }

    private static func machine(_ cpu: Int) -> String {
        [7: "i386", 12: "arm", 0x0100_0007: "x86_64", 0x0100_000c: "arm64"][cpu] ?? "machine \(cpu)"
    }

    /// A file format and a machine.
    struct Architecture: Sendable, Hashable, CustomStringConvertible {
        enum Format: String {
            case elf = "ELF"
            case machO = "Mach-O"
        }

        var format: Format
        var machine: String

        init(_ format: Format, _ machine: String) {
            self.format = format
            self.machine = machine
        }

        var description: String { "\(format.rawValue) \(machine)" }
    }

    static var process: Architecture {
        #if canImport(Darwin)
        let format = Architecture.Format.machO
        #else
        let format = Architecture.Format.elf
        #endif
        #if arch(x86_64)
        return Architecture(format, "x86_64")
        #elseif arch(arm64)
        return Architecture(format, "arm64")
        #elseif arch(arm)
        return Architecture(format, "arm")
        #elseif arch(i386)
        return Architecture(format, "i386")
        #elseif arch(s390x)
        return Architecture(format, "s390x")
        #elseif arch(powerpc64) || arch(powerpc64le)
        return Architecture(format, "ppc64")
        #elseif arch(riscv64)
        return Architecture(format, "riscv64")
        #else
        #error("Name this architecture as LibraryFile names it in a library's header")
        #endif
    }
}
