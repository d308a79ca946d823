#if canImport(FoundationEssentials)
public import FoundationEssentials  // for Data, Date, Decimal and URL
#else
public import Foundation  // for Data, Date, Decimal and URL
#endif

extension FieldKind where Value == Date {
    /// An instant, in whole milliseconds.
    public static var instant: FieldKind {
        FieldKind<Int64>.instant.mapped {
            Date(timeIntervalSince1970: Double($0) / 1000)
        } back: {
            Int64(exactly: ($0.timeIntervalSince1970 * 1000).rounded())
        }
    }
}

extension FieldKind where Value == Decimal {
    /// A decimal number. Zeros at its end are not part of its value.
    public static var decimal: FieldKind {
        FieldKind<String>.decimal.mapped {
            Decimal(string: $0)
        } back: {
            "\($0)"
        }
    }
}

extension FieldKind where Value == URL {
    /// An address, as far as `URL` keeps the vendor's spelling.
    public static var url: FieldKind {
        FieldKind<String>.url.mapped {
            URL(string: $0)
        } back: {
            $0.absoluteString
        }
    }
}

extension FieldKind where Value == Data {
    /// Bytes, compared one by one.
    public static var bytes: FieldKind {
        FieldKind<[UInt8]>.bytes.mapped {
            Data($0)
        } back: {
            Array($0)
        }
    }
}
