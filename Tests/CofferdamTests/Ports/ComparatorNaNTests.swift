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

    @Test(
        "Beside a NaN, `==` has the last word: on hidden parts, on sets and on objects, which may refer to themselves"
    )
    func besideNaN() {
        #expect(differences(Mixed(tags: [1, 2, 3]), Mixed(tags: [3, 2, 1])) == [])
        #expect(differences(Mixed(tags: [1]), Mixed(tags: [2])).count == 1)
        #expect(differences(Mixed(secret: Secret(text: "a")), Mixed(secret: Secret(text: "a"))) == [])
        #expect(differences(Mixed(secret: Secret(text: "a")), Mixed(secret: Secret(text: "b"))).count == 1)
        let (one, other) = (Node(), Node())
        #expect(differences(Mixed(node: one), Mixed(node: one)) == [])
        #expect(differences(Mixed(node: one), Mixed(node: other)).count == 1)
        #expect(differences(one, other).count == 1)
    }

    private struct Mixed: Equatable, Sendable {
        var score = Double.nan
        var tags: Set<Int> = []
        var secret = Secret(text: "")
        var node: Node?
    }

    private struct Secret: Equatable, Sendable, CustomReflectable {
        var text: String
        var customMirror: Mirror { Mirror(self, children: ["text": "(hidden)"]) }
    }

    /// Compares by identity, and refers to itself.
    private final class Node: Equatable, Sendable {
        private let itself = Mutex<Node?>(nil)

        init() { itself.withLock { $0 = self } }

        static func == (one: Node, other: Node) -> Bool { one === other }
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
