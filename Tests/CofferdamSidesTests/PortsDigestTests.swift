@testable import CofferdamSides
import Foundation
import Testing

/// The port of the sides that the tests' own process opens. Its type is the standard library's.
typealias Text = @Sendable (String) -> String

@Suite struct PortsDigestTests {
    private let sources = ["A.swift": "struct A {\n    var a: Int\n}\n", "B.swift": "struct B {}\n"]

    @Test func `it is FNV-1a`() {
        // "a\0" + "b\n" + "\0", by the definition at http://www.isthe.com/chongo/tech/comp/fnv/
        let expected = [UInt8]([0x61, 0, 0x62, 0x0a, 0]).reduce(UInt64(14_695_981_039_346_656_037)) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        #expect(PortsDigest.of(sources: ["a": "b"]) == String(expected, radix: 16))
    }

    @Test func `every change of a source, a name or a file changes it`() {
        let digest = PortsDigest.of(sources: sources)
        var changes = [sources, sources, sources, sources]
        changes[0]["A.swift"] = "struct A {\n    var a: Int8\n}\n"
        changes[1]["C.swift"] = ""
        changes[2] = ["A.swift": "struct B {}\n", "B.swift": sources["A.swift"] ?? ""]
        changes[3] = ["A.swift": (sources["A.swift"] ?? "") + (sources["B.swift"] ?? "")]
        #expect(Set(changes.map(PortsDigest.of) + [digest]).count == 5)
    }

    @Test func `the ends of lines do not count`() {
        let windows = sources.mapValues { $0.replacing("\n", with: "  \r\n") }
        #expect(PortsDigest.of(sources: windows) == PortsDigest.of(sources: sources))
    }
}

@Suite struct SideHandshakeTests {
    @Test func `a handshake is read as it was written`() throws {
        let handshake = SideHandshake(ports: "a=b", port: Text.self)
        #expect(try SideHandshake(text: handshake.text) == handshake)
        #expect(try SideHandshake(text: handshake.text + "later=1\n") == handshake)
        #expect(SideHandshake(ports: "a\nkit=9", port: Text.self).text.contains("ports=a kit=9\n"))
        #expect(handshake.compiler.contains("Swift 6") && handshake.compiler.contains("lang"))
    }

    @Test func `the kit's version is the changelog's`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let log = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)
        let titles = log.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)) }
        let newest = try #require(titles.first)
        if newest == "Unreleased" {
            #expect(SideHandshake.currentKit.hasSuffix("-dev"))
            #expect(!titles.contains(String(SideHandshake.currentKit.dropLast("-dev".count))))
        } else {
            #expect(SideHandshake.currentKit == newest)
        }
    }
}

@Suite struct LibraryFileTests {
    @Test func `a header of either format names its machines`() throws {
        let elf: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + Array(repeating: 0, count: 9)
        #expect(try LibraryFile.architectures(elf + [3, 0, 183, 0]).map(\.description) == ["ELF arm64"])
        #expect(try LibraryFile.architectures(elf + [3, 0, 0x34, 0x12]).map(\.description) == ["ELF machine 4660"])
        var big = elf
        big[5] = 2
        #expect(try LibraryFile.architectures(big + [0, 3, 0, 22]).map(\.description) == ["ELF s390x"])
        let arm: [UInt8] = [0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1, 0, 0, 0, 0, 6, 0, 0, 0]
        #expect(try LibraryFile.architectures(arm).map(\.description) == ["Mach-O arm64"])
        let entry = { (cpu: [UInt8]) in cpu + Array(repeating: UInt8(0), count: 16) }
        let fat: [UInt8] = [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2] + entry([1, 0, 0, 7]) + entry([1, 0, 0, 0x0c])
        #expect(try LibraryFile.architectures(fat).map(\.description) == ["Mach-O x86_64", "Mach-O arm64"])
    }

    @Test func `the error for a file that is not a library says what it is`() {
        let elf: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + Array(repeating: 0, count: 9)
        let cases: [([UInt8], String)] = [
            (elf + [1, 0, 62, 0], "it is an object file"), (elf + [2, 0, 62, 0], "it is an executable"),
            (elf + [9, 0, 62, 0], "it is an ELF file of kind 9"), (elf, "its ELF header is cut off"),
            ([0xcf, 0xfa, 0xed, 0xfe], "its Mach-O header is cut off"),
            ([0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 0x34, 0, 0, 0, 0], "it is neither ELF nor Mach-O"),
            ([1, 2], "the file has 2 bytes"),
        ]
        for (bytes, found) in cases {
            #expect(throws: SideLibraryError.Reason.notALibrary(found)) { try LibraryFile.architectures(bytes) }
        }
    }
}
