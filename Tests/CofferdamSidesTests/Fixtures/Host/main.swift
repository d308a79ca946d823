// Opens the given sides in order, next to its own version of the vendor, and prints what they return.
import CofferdamSides
import SettingsPorts
import Vendor

func show(_ path: String) async {
    do {
        let library = try SideLibrary.open(path, ports: settingsPortsDigest)
        let settings = try library.port(as: (any Settings).self)
        print(try await settings.value(of: "a"))
        for try await value in settings.values(of: ["a", "b"]) { print("stream", value.text) }
        let results = await withTaskGroup(of: SettingsValue?.self) { group in
            for _ in 0..<200 { group.addTask { try? await settings.value(of: "b") } }
            return await group.reduce(into: Set<SettingsValue?>()) { $0.insert($1) }
        }
        print("parallel", results.count)
        _ = try await settings.value(of: "z")
    } catch let error as SettingsError {
        print("typed", error)
    } catch {
        print("error", error)
    }
}

print("host", Parser().parsers.joined(separator: " "))
for path in CommandLine.arguments.dropFirst() { await show(path) }
