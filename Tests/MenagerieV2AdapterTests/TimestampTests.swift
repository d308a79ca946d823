#if Sandbox
import Cofferdam
import CofferdamSupport
import Foundation
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

/// Checks RFC 3339, section 5.6 and its examples. The tests of D23 check what the vendor sends.
@Suite struct TimestampTests {
    @Test(
        arguments: [
            ("1985-04-12T23:20:50.52Z", 482_196_050_520), ("1996-12-19T16:39:57-08:00", 851_042_397_000),
            ("1937-01-01T12:00:27.87+00:20", -1_041_337_172_130), ("2023-11-14t22:13:20.5z", 1_700_000_000_500),
            ("2023-11-14 22:13:20+00:00", 1_700_000_000_000), ("2023-11-14T22:13:20-00:00", 1_700_000_000_000),
            ("2023-11-14T22:13:20+23:59", 1_699_913_660_000), ("2023-11-14T22:13:20-23:59", 1_700_086_340_000),
            ("2000-02-29T00:00:00Z", 951_782_400_000), ("2024-02-29T23:59:59.999Z", 1_709_251_199_999),
            ("2024-12-31T23:59:59.9995Z", 1_735_689_600_000), ("2023-11-14T22:13:20.0004999999Z", 1_700_000_000_000),
            ("2023-11-14T22:13:20.1Z", 1_700_000_000_100), ("2023-11-14T22:13:20.12Z", 1_700_000_000_120),
            ("2023-11-14T22:13:20.00000000000000000000000000000001Z", 1_700_000_000_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000), ("0000-12-31T23:59:59Z", -62_135_596_801_000),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000), ("1582-10-10T00:00:00Z", -12_219_724_800_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Int64)]
    )
    func `a timestamp is a moment, to the nearest millisecond`(text: String, milliseconds: Int64) {
        #expect(Instant(rfc3339: text)?.millisecondsSince1970 == milliseconds)
    }

    @Test(
        arguments: [
            // Leap seconds, including the RFC's own example.
            "1990-12-31T23:59:60Z", "1990-12-31T15:59:60-08:00", "2023-11-14T22:13:61Z",
            // Fields out of range.
            "2023-00-14T22:13:20Z", "2023-13-14T22:13:20Z", "2023-11-00T22:13:20Z", "2023-11-31T22:13:20Z",
            "2023-02-29T22:13:20Z", "1900-02-29T22:13:20Z", "2024-02-30T22:13:20Z", "2023-11-14T24:00:00Z",
            "2023-11-14T22:60:20Z", "2023-11-14T22:13:99Z", "2023-11-14T22:13:20+24:00", "2023-11-14T22:13:20+01:60",
            // Parts that are missing, too short, too long or malformed.
            "", "Z", "2023-11-14", "22:13:20Z", "2023-11-14T22:13:20", "2023-11-14T22:13Z", "2023-11-14T22:13:20.Z",
            "2023-11-14T22:13:20,5Z", "2023-11-14T22:13:20+01", "2023-11-14T22:13:20+0100", "2023-11-14T22:13:20+1:00",
            "2023-11-14T22:13:20Z+01:00", "2023-11-14T22:13:20ZZ", "2023-11-14T22:13:20Z ", " 2023-11-14T22:13:20Z",
            "2023-11-14T22:13:20Z\n", "2023-11-14_22:13:20Z", "2023-11-14  22:13:20Z", "20231114T221320Z",
            "2023-318T22:13:20Z", "2023-1-14T22:13:20Z", "+2023-11-14T22:13:20Z", "-2023-11-14T22:13:20Z",
            "12023-11-14T22:13:20Z", "2023-11-14T2a:13:20Z", "2023-11-14T22:13:20−01:00", "2023-11-14T22:13:2٠Z",
            "2023-11-14T22:13:20Z\u{301}", "2023-11-14T22:13:20.5\u{301}Z",
        ]
    )
    func `anything else is not a timestamp`(text: String) {
        #expect(Instant(rfc3339: text) == nil)
    }

    /// Foundation's calendar is the Gregorian one from 1583 on.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func `what Foundation writes is read as the moment that it was`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let milliseconds = Int64.random(in: -12_212_000_000_000...253_402_000_000_000, using: &random)
            let hasFraction = Bool.random(using: &random)
            let style = Date.ISO8601FormatStyle(
                dateTimeSeparator: Bool.random(using: &random) ? .standard : .space,
                timeZoneSeparator: .colon,
                includingFractionalSeconds: hasFraction,
                timeZone: try #require(TimeZone(secondsFromGMT: Int.random(in: -1_079...1_079, using: &random) * 60))
            )
            // The style truncates to milliseconds, and a Double may be slightly less than the intended number.
            let text = Date(timeIntervalSince1970: Double(milliseconds) / 1000 + 0.000_5).formatted(style)
            let whole = Int64((Double(milliseconds) / 1000).rounded(.down)) * 1000
            let read = Instant(rfc3339: text)?.millisecondsSince1970
            #expect(read == (hasFraction ? milliseconds : whole), "\(text)")
        }
    }
}
#endif
