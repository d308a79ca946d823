#if CommandLine && (os(macOS) || os(Linux))
@testable import CofferdamSides
import Foundation
import Testing

@Suite struct SideLibraryErrorTests {
    private func open(
        _ path: String,
        ports: String = "text",
        probe: SideProbe = .none
    ) throws(SideLibraryError) -> Text {
        try SideLibrary.open(path, ports: ports, probe: probe).port(as: Text.self)
    }

    private func expect(
        _ path: String,
        _ reason: SideLibraryError.Reason,
        probe: SideProbe = .none,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: SideLibraryError.self, sourceLocation: sourceLocation) {
            try open(path, probe: probe)
        }
        #expect(error == SideLibraryError(path: path, reason: reason), sourceLocation: sourceLocation)
        #expect(error?.description.contains(path) == true, sourceLocation: sourceLocation)
    }

    private func file(_ name: String, _ bytes: [UInt8]) async throws -> String {
        let path = try await SideFixtures.all().path(name)
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    // MARK: The file

    @Test func `a file that is missing`() { expect("/nowhere/libV1.so", .missing) }

    @Test func `a folder`() { expect("/tmp", .unreadable("Is a directory")) }

    @Test func `a file that is text, empty, or of another kind`() async throws {
        let text = try await file("text.so", Array("not a library\n".utf8))
        expect(text, .notALibrary("it is text"))
        expect(try await file("empty.so", []), .notALibrary("the file is empty"))
        expect(try await file("noise.so", [0, 1, 2, 3, 4, 5]), .notALibrary("it is neither ELF nor Mach-O"))
    }

    @Test func `a library for other machines names them`() async throws {
        let path = try await SideFixtures.all().path("libTextV1.so")
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        let s390x: UInt8 = 22
        bytes[18] = s390x
        let patched = try await file("libOther.so", bytes)
        expect(patched, .otherArchitecture(side: "ELF s390x", process: "\(LibraryFile.process)"))
    }

    @Test func `the error for a library that the loader refuses has the loader's message`() async throws {
        let fixtures = try await SideFixtures.all()
        let undefined = try await fixtures.library(
            "Undefined",
            "extern int vendor_gone(void); void *cofferdam_side(int r, void *p) { return vendor_gone() ? p : 0; }"
        )
        let error = #expect(throws: SideLibraryError.self) { try open(undefined) }
        guard case .undefinedSymbol("vendor_gone", let message) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.contains("vendor_gone"))

        _ = try await fixtures.library("Needed", "int needed(void) { return 1; }")
        let needing = try await fixtures.library(
            "Needing",
            "extern int needed(void); void *cofferdam_side(int r, void *p) { return needed() ? p : 0; }",
            ["-L\(fixtures.folder.path)", "-lNeeded"]
        )
        let other = #expect(throws: SideLibraryError.self) { try open(needing) }
        guard case .notLoaded(let reason) = other?.reason else {
            Issue.record("\(String(describing: other))")
            return
        }
        #expect(reason.contains("libNeeded.so"))
    }

    // MARK: The entry

    @Test func `a library without an entry, or with that of a library that it needs`() async throws {
        let fixtures = try await SideFixtures.all()
        expect(try await fixtures.library("NoEntry", "int other(void) { return 1; }"), .noEntry)
        let borrowing = try await fixtures.library(
            "Borrowing",
            "int other(void) { return 1; }",
            [fixtures.path("libTextV1.so"), "-Wl,--no-as-needed", "-Wl,-rpath,\(fixtures.folder.path)"]
        )
        expect(borrowing, .noEntry)
    }

    @Test func `an entry that gives no handshake, or one that cannot be read`() async throws {
        let fixtures = try await SideFixtures.all()
        let nothing = try await fixtures.library("Nothing", "void *cofferdam_side(int r, void *p) { return 0; }")
        expect(nothing, .unreadableHandshake("the entry returned nothing"))
        let cases = [
            ("hello", "the line 'hello' has no '='"),
            ("kit=1", "it has no 'protocol'"),
            ("protocol=x", "its 'protocol' is 'x', not a number"),
            ("protocol=1\ncompiler=c\nkit=k\nports=p\nport=q\nsize=-1", "its 'size' is '-1', not a number"),
            (
                "protocol=1\ncompiler=c\nkit=k\nports=p\nport=q\nsize=1\nalignment=3",
                "its 'alignment' is 3, not a power of two"
            ),
        ]
        for (number, (text, reason)) in cases.enumerated() {
            expect(try await fixtures.rawSide("Garbage\(number)", text: text), .unreadableHandshake(reason))
        }
    }

    @Test func `an entry of another protocol, compiler, kit, ports, port or layout names both values`() async throws {
        let fixtures = try await SideFixtures.all()
        let process = SideHandshake(ports: "text", port: Text.self)
        expect(
            try await fixtures.rawSide("OtherProtocol") { $0.protocolVersion = 7 },
            .otherProtocol(side: 7, process: 1)
        )
        expect(
            try await fixtures.rawSide("OtherCompiler") { $0.compiler = "Swift 5.9" },
            .otherCompiler(side: "Swift 5.9", process: process.compiler)
        )
        expect(
            try await fixtures.rawSide("OtherKit") { $0.kit = "0.0.1" },
            .otherKit(side: "0.0.1", process: process.kit)
        )
        expect(
            try await fixtures.rawSide("OtherPorts") { $0.ports = "elsewhere" },
            .otherPorts(side: "elsewhere", process: "text")
        )
        expect(
            try await fixtures.rawSide("OtherPort") { $0.port = "Sb" },
            .otherPort(side: "Sb", process: process.port)
        )
        expect(
            try await fixtures.rawSide("OtherLayout") { $0.size = 40 },
            .otherLayout(side: "40 bytes, aligned to 8", process: "16 bytes, aligned to 8")
        )
    }

    @Test func `an entry that knows the type by name alone, or returns no port`() async throws {
        let fixtures = try await SideFixtures.all()
        expect(try await fixtures.rawSide("OtherCopy"), .otherCopy(port: String(reflecting: Text.self)))
        let address = UInt(bitPattern: SideEntry.address(of: Text.self))
        let none = try await fixtures.rawSide("NoPort", port: "return request == 1 ? (void *)\(address)UL : 0;")
        expect(none, .noPort)
    }

    // MARK: The child process

    @Test func `an entry that traps, ends the process or hangs does so in the child process`() async throws {
        let fixtures = try await SideFixtures.all()
        let probe = SideProbe.inChildProcess(try SideFixtures.probe)
        expect(
            try await fixtures.rawSide("Traps", port: "__builtin_trap();"),
            .crashed(signal: SIGILL),
            probe: probe
        )
        expect(
            try await fixtures.library(
                "TrapsWhenLoaded",
                "#include <stdlib.h>\n__attribute__((constructor)) static void begin(void) { abort(); }"
            ),
            .crashed(signal: SIGABRT),
            probe: probe
        )
        expect(try await fixtures.rawSide("Exits", port: "_exit(0);"), .exited(code: 0), probe: probe)
        let hanging = try await fixtures.rawSide("Hangs", port: "for (;;) pause();")
        let limit = Duration.milliseconds(300)
        expect(hanging, .overdue(limit), probe: .inChildProcess(try SideFixtures.probe, limit: limit))
    }

    @Test func `a mismatch is reported before a crash, and the loader's message is kept`() async throws {
        let fixtures = try await SideFixtures.all()
        let probe = SideProbe.inChildProcess(try SideFixtures.probe)
        let both = try await fixtures.rawSide("TrapsOther", { $0.ports = "elsewhere" }, port: "__builtin_trap();")
        expect(both, .otherPorts(side: "elsewhere", process: "text"), probe: probe)
        expect(try await fixtures.library("NoEntryThere", "int other(void) { return 1; }"), .noEntry, probe: probe)
    }

    @Test func `a missing probe is reported as missing`() async throws {
        let fixtures = try await SideFixtures.all()
        let side = try await fixtures.rawSide("Unprobed")
        expect(
            side,
            .probeNotStarted(executable: "/nowhere/probe", "No such file or directory"),
            probe: .inChildProcess("/nowhere/probe")
        )
    }
}
#endif
