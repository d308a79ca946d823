extension FieldKind where Value == Int64 {
    /// An instant, in whole milliseconds since 1970-01-01T00:00:00Z. For a type of your own, use
    /// ``FieldKind/mapped(_:back:)``; for `Date`, `.instant` is one too.
    public static var instant: FieldKind {
        FieldKind(
            corpus: [
                .init(0, "the epoch is taken for missing"),
                .init(1, "fractions of a second are cut"),
                .init(999, "fractions of a second are rounded up"),
                .init(-1, "an instant before 1970 is rounded the other way"),
                .init(-86_400_000, "an instant before 1970 has a sign"),
                .init(100, "zeros of a fraction are dropped, or one digit is read as milliseconds"),
                .init(978_307_200_000, "the epoch of 2001 is confused with that of 1970"),
                .init(951_782_400_000, "2000-02-29: a century that has a leap day"),
                .init(1_709_164_800_000, "2024-02-29: a leap day"),
                .init(1_711_848_600_000, "2024-03-31T01:30Z: an hour that summer time skips in Europe"),
                .init(1_730_003_400_000, "2024-10-27T04:30Z: a day of 25 hours in Europe"),
                .init(1_729_989_000_000, "2024-10-27T00:30Z: an hour that occurs twice in Europe"),
                .init(1_710_054_000_000, "2024-03-10T07:00Z: summer time begins in America"),
                .init(1_735_516_800_000, "2024-12-30: the week belongs to another year"),
                .init(1_735_689_599_999, "the last millisecond of a year"),
                .init(1_718_409_600_000, "midnight in UTC is another day elsewhere"),
                .init(1_718_456_400_000, "13:00 on a clock of twelve hours"),
                .init(1_483_228_799_000, "the second before a leap second"),
                .init(1_483_228_800_000, "the second after a leap second"),
                .init(1_700_000_000_123, "milliseconds are cut"),
                .init(2_147_483_648_000, "2038-01-19: seconds overflow 32 bits"),
                .init(4_102_444_800_000, "2100-01-01: two digits of a year"),
                .init(4_107_542_400_000, "2100-03-01: a century without a leap day"),
                .init(4_294_967_296_000, "2106-02-07: seconds overflow 32 bits without a sign"),
                .init(253_402_214_400_000, "9999-12-31: a time that means never"),
                .init(-2_203_891_200_000, "1900-03-01: a century without a leap day, and seconds underflow 32 bits"),
            ],
            mistakes: [
                .init("shifts by a time zone") { $0 + 3_600_000 },
                .init("cuts fractions of a second") { $0 - ($0 % 1000) },
                .init("rounds to minutes") { $0 / 60_000 * 60_000 },
                .init("takes seconds for milliseconds") { $0 / 1000 },
                .init("counts from 2001") { $0 - 978_307_200_000 },
                .init("takes the epoch for missing") { $0 == 0 ? 1_700_000_000_000 : $0 },
                .init("counts a leap day in 2100") { $0 < 4_107_542_400_000 ? $0 : $0 - 86_400_000 },
                .init("goes through 32 bits") { Int64(Int32(truncatingIfNeeded: $0 / 1000)) * 1000 + $0 % 1000 },
            ]
        )
    }
}

extension FieldKind where Value == String {
    /// A day of the calendar without time and zone, as "2024-02-29".
    public static var day: FieldKind {
        FieldKind(
            corpus: [
                .init("1970-01-01", "the epoch is taken for missing"),
                .init("2000-02-29", "a century that has a leap day"), .init("2024-02-29", "a leap day"),
                .init("1900-03-01", "a century without a leap day"),
                .init("2024-03-31", "a day of 23 hours in Europe"), .init("2024-10-27", "a day of 25 hours in Europe"),
                .init("2024-12-30", "the week belongs to another year"), .init("2024-12-31", "the last day of a year"),
                .init("2024-01-02", "day and month are exchanged"), .init("0001-01-01", "the first day"),
                .init("1582-10-10", "a day that one calendar skips"), .init("9999-12-31", "a day that means never"),
            ],
            mistakes: [
                .init("is a day off") { day in
                    Int(day.suffix(2)).map { $0 > 1 ? day.prefix(8) + ($0 < 11 ? "0" : "") + "\($0 - 1)" : day } ?? day
                },
                .init("exchanges day and month") { day in
                    let parts = day.split(separator: "-")
                    return parts.count == 3 ? "\(parts[0])-\(parts[2])-\(parts[1])" : day
                },
                .init("takes the epoch for missing") { $0 == "1970-01-01" ? "0001-01-01" : $0 },
            ]
        )
    }
}

extension FieldKind where Value == Duration {
    /// A length of time.
    public static var duration: FieldKind {
        FieldKind(
            corpus: [
                .init(.zero, "0 is taken for missing"), .init(.milliseconds(1), "milliseconds are cut"),
                .init(.milliseconds(1500), "a half is rounded"), .init(.seconds(59), "less than a minute"),
                .init(.seconds(60), "a whole minute loses its seconds"), .init(.seconds(3600), "a whole hour"),
                .init(.seconds(86_399), "less than a day"), .init(.seconds(90_000), "more than a day starts again"),
                .init(.seconds(-1), "the sign is dropped"), .init(.seconds(2_147_484), "milliseconds overflow 32 bits"),
            ],
            mistakes: [
                .init("cuts fractions of a second") { .seconds($0.components.seconds) },
                .init("takes milliseconds for seconds") { $0 / 1000 },
                .init("starts again after a day") { .seconds($0.components.seconds % 86_400) },
                .init("drops the sign") { $0 < .zero ? .zero - $0 : $0 },
                .init("takes 0 for missing") { $0 == .zero ? .seconds(1) : $0 },
            ]
        )
    }
}
