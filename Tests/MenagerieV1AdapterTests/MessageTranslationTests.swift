#if Sandbox
import Foundation
import SanctuaryDomain
import Testing

@testable import MenagerieV1
@testable import MenagerieV1Adapter

struct MessageTranslationTests {
    private static let moments: [(Double, Int64)] = [
        (1_700_000_000, 1_700_000_000_000), (1_700_000_000.5, 1_700_000_000_500), (0, 0), (-1.25, -1250),
        (1_700_000_000.001, 1_700_000_000_001), (4_102_444_799.999, 4_102_444_799_999),
    ]

    @Test func `D23: whole seconds are wrong for every moment between two`() {
        let right = Self.moments.filter {
            NaiveDates.read(Date(timeIntervalSince1970: $0)) == Instant(millisecondsSince1970: $1)
        }
        #expect(right.map(\.0) == [1_700_000_000, 0])
    }

    @Test("D23: epoch seconds become milliseconds, and return", arguments: moments)
    func sentAt(seconds: Double, milliseconds: Int64) throws {
        let source = MenagerieMessage(MessageJSON(id: "m-1", author: "noor", text: "hello", sent_at: seconds))
        let translated = try Vendor.played().translate(source, by: .message, "message")
        #expect(translated.sentAt == Instant(millisecondsSince1970: milliseconds))
        let back = Date(translated.sentAt).timeIntervalSince1970
        #expect(Instant(seconds: back) == translated.sentAt)
    }

    @Test("D23: a moment out of range makes the message unreadable")
    func outOfRange() throws {
        let source = MenagerieMessage(MessageJSON(id: "m-1", author: "noor", text: "hello", sent_at: 1e300))
        let error = #expect(throws: SanctuaryError.self) {
            try Vendor.played().translate([source], by: .message, "messages")
        }
        #expect(error?.subject == "messages[0].sent_at")
    }
}
#endif
