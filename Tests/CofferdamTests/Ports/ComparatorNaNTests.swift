import Cofferdam
import Testing

@Suite("NaN and equal texts in a comparison")
struct ComparatorNaNTests {
    private struct Reading: Equatable, Sendable {
        var celsius: Double
        var history: [Double?] = []
        var name = "roof"
        var note = Note.none
    }

    private enum Note: Equatable, Sendable { case none, wind(Float) }

    private static let nan = Reading(celsius: .nan, history: [1, nil, .nan], note: .wind(.nan))

    private func differences<Value: Equatable & Sendable>(_ legacy: Value, _ candidate: Value) -> [String] {
        Comparator<Value>().field("value") { $0 }.differences(legacy: legacy, candidate: candidate, subject: "s")
            .map(\.description)
    }

    @Test("NaN equals NaN, also in optionals, arrays, properties and payloads")
    func equal() {
        #expect(differences(Double.nan, .nan) == [])
        #expect(differences(Float?.some(.nan), .nan) == [])
        #expect(differences([1, Double.nan], [1, .nan]) == [])
        #expect(differences(Self.nan, Self.nan) == [])
        #expect(differences(-0.0, 0.0) == [])
    }

    @Test("What differs beside a NaN, or differs from it, is still a difference")
    func different() {
        #expect(differences(Double.nan, 1) == ["s value: nan → 1.0"])
        #expect(differences(Double?.none, .nan).count == 1)
        #expect(differences([Double.nan], [.nan, .nan]).count == 1)
        var other = Self.nan
        other.name = "yard"
        #expect(differences(Self.nan, other).count == 1)
        other = Self.nan
        other.note = .none
        #expect(differences(Self.nan, other).count == 1)
        other = Self.nan
        other.history[0] = 2
        #expect(differences(Self.nan, other).count == 1)
    }

    @Test("Values that print the same say how they differ")
    func sameText() {
        #expect(
            differences(AnyText(value: 1), AnyText(value: 2)) == ["s value: x → x (prints the same, but is not equal)"]
        )
        let mixed = Comparator<AnyBox>().field("value", \.value).differences(
            legacy: AnyBox(value: 1),
            candidate: AnyBox(value: "1"),
            subject: "s"
        )
        #expect(mixed.map(\.description) == ["s value: 1 (Int) → 1 (String)"])
        let secret = Comparator<AnyText>().redactedField("value", \.value)
            .differences(legacy: AnyText(value: 1), candidate: AnyText(value: 2), subject: "s")
        #expect(secret.map(\.description) == ["s value: (redacted) → (redacted)"])
    }

    private struct AnyText: Equatable, Sendable, CustomStringConvertible {
        var value: Int
        var description: String { "x" }
    }

    /// Either of two types, as an existential shows them.
    private struct AnyBox: Sendable {
        private let number: Int?
        private let text: String?
        var value: AnyHashable { number.map(AnyHashable.init) ?? AnyHashable(text ?? "") }

        init(value: Int) { (number, text) = (value, nil) }
        init(value: String) { (number, text) = (nil, value) }
    }
}
