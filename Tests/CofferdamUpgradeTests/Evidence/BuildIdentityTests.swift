import Foundation
import Testing

@testable import CofferdamUpgrade

@Suite struct BuildIdentityTests {
    @Test func `a build is known by what its linker gave it`() throws {
        let identity = try #require(BuildIdentity.current)
        #expect(identity.count >= 16)
        #expect(identity.allSatisfy { $0.isHexDigit && !$0.isUppercase })
    }

    @Test func `several images have one identifier, which changes with each of them`() throws {
        let images =
            [("", [1, 2]), ("Frameworks/Vendor.framework/Vendor", [3]), ("Frameworks/A.dylib", [4])]
            as [(String, [UInt8])]
        let whole = try #require(combined(images))
        #expect(whole.count == 16)
        #expect(combined(images.reversed()) == whole)
        for index in images.indices {
            var other = images
            other[index].1 = [9]
            #expect(combined(other) != whole)
            other.remove(at: index)
            #expect(combined(other) != whole)
        }
        #expect(combined([images[0]]) == [1, 2])
        #expect(combined([]) == nil)
    }

    #if os(Linux)
    @Test func `it is in the program's file`() throws {
        let file = try Data(contentsOf: URL(filePath: "/proc/self/exe"), options: .alwaysMapped)
        let digits = Array(try #require(BuildIdentity.current))
        let bytes = try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16))
        }
        #expect(file.range(of: Data(bytes)) != nil)
    }

    @Test(
        arguments: [
            (note("GNU", 1, [1, 2, 3, 4]) + note("GNU", 3, [0xAB, 1, 2]), [0xAB, 1, 2]),
            (note("Other", 3, [9]) + note("GNU", 3, [7]), [7]), (note("GNU", 1, [1]), nil), ([], nil),
            (Array(note("GNU", 3, [1, 2, 3, 4]).dropLast(2)), nil),
            ([255, 255, 255, 255, 0, 0, 0, 0, 3, 0, 0, 0], nil),
        ] as [([UInt8], [UInt8]?)]
    )
    func `a build ID is read from the notes of a segment`(bytes: [UInt8], expected: [UInt8]?) {
        #expect(buildID(inNotes: Data(bytes)) == expected)
    }

    private static func note(_ name: String, _ type: UInt8, _ content: [UInt8]) -> [UInt8] {
        let name = Array(name.utf8) + [0]
        func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + Array(repeating: 0, count: (4 - bytes.count % 4) % 4) }
        return [UInt8(name.count), 0, 0, 0, UInt8(content.count), 0, 0, 0, type, 0, 0, 0] + padded(name)
            + padded(content)
    }
    #endif
}
