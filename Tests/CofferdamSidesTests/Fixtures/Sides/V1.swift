import CofferdamSides
import SettingsPorts
import Vendor

struct V1Settings: Settings {
    func value(of key: String) async throws -> SettingsValue {
        let parser = Parser()
        let entry = parser.parse("a:one\nb:two").entries.first { $0.key == key }
        guard let entry else { throw SettingsError.unknown(key: key) }
        return SettingsValue(key: key, text: entry.text, parsers: parser.parsers)
    }

    func values(of keys: [String]) -> AsyncThrowingStream<SettingsValue, any Error> { stream(keys, value) }
}

func stream(
    _ keys: [String],
    _ value: @escaping @Sendable (String) async throws -> SettingsValue
) -> AsyncThrowingStream<SettingsValue, any Error> {
    AsyncThrowingStream { continuation in
        Task {
            do {
                for key in keys { continuation.yield(try await value(key)) }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
    }
}

@c(cofferdam_side)
public func side(_ request: Int32, _ place: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    SideEntry.answer(request, place, ports: settingsPortsDigest, as: (any Settings).self) { V1Settings() }
}
