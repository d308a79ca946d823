import Cofferdam
import Foundation
import Testing

@Suite struct TapeBytesTests {
    @Test(arguments: 0..<70)
    func `a tape has bytes as standard base64`(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
        let data = try JSONEncoder().encode([TapeBytes(bytes)])
        #expect(try JSONDecoder().decode([Data].self, from: data) == [Data(bytes)])
        #expect(try JSONDecoder().decode([TapeBytes].self, from: data) == [TapeBytes(bytes)])
    }

    @Test(arguments: ["A", "AA", "AAA", "A===", "====", "AA=A", "AA==AAAA", "A!AA", "AAA=A", "ÄAA="])
    func `text that is not base64 is refused`(text: String) throws {
        let data = try JSONEncoder().encode([text])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([TapeBytes].self, from: data) }
    }
}
