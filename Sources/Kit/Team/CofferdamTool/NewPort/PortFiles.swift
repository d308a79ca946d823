import Cofferdam

/// A file that `new-port` writes.
struct PortFile: Hashable {
    /// The path, relative to the package's folder.
    var path: String
    var text: String
}

extension PortPlan {
    /// All files, in reading order.
    var files: [PortFile] {
        [
            file("Sources/\(table)/\(name)Operations.swift", operationsText),
            file("Sources/\(name)V1/V1\(name).swift", adapter("V1\(name)", "The port on the vendor's V1.")),
            file("Sources/\(name)V2/V2\(name).swift", adapter("V2\(name)", "The port on the vendor's V2.")),
            file(
                "Sources/\(name)Fake/Fake\(name).swift",
                adapter("Fake\(name)", "The port in memory, for the app's tests and for work without a vendor.")
            ),
            file("Sources/\(name)Contract/\(name)Subject.swift", subjectText),
            file("Sources/\(name)Contract/\(name)Fixtures.swift", fixturesText),
            file("Sources/\(name)Contract/\(name)Rules.swift", rulesText),
            file("Sources/\(name)Stand/\(name)Stands.swift", standsText),
            file("Sources/\(name)Upgrade/\(name)Upgrade.swift", upgradeText),
            file("Tests/\(name)ContractTests/\(name)Tests.swift", testsText),
            file("Tests/\(name)ContractTests/\(name)UpgradeTests.swift", upgradeTestsText),
        ]
    }

    /// The targets, as lines of a manifest.
    var manifest: String {
        let kit = { (product: String) in ".product(name: \"\(product)\", package: \"cofferdam\")" }
        func target(_ kind: String, _ target: String, _ dependencies: [String]) -> String {
            let lines = dependencies.map { "    \($0.hasPrefix(".") ? $0 : "\"\($0)\""),\n" }.joined()
            return ".\(kind)(\n  name: \"\(target)\",\n  dependencies: [\n\(lines)  ]\n),\n"
        }
        return target("target", table, [module, kit("Cofferdam")])
            + ["V1", "V2", "Fake"].map { target("target", name + $0, [module, table, kit("Cofferdam")]) }.joined()
            + target("target", "\(name)Contract", [module, table, kit("Cofferdam"), kit("CofferdamContracts")])
            // Not the tests' own, because the team's tool runs the contract too.
            + target(
                "target",
                "\(name)Stand",
                [
                    module, "\(name)V1", "\(name)V2", "\(name)Fake", "\(name)Contract", kit("Cofferdam"),
                    kit("CofferdamContracts"),
                ] + (usesProxy ? [kit("CofferdamStand")] : [])
            )
            + target("target", "\(name)Upgrade", [module, "\(name)V1", "\(name)V2", kit("CofferdamUpgrade")])
            + target(
                "testTarget",
                "\(name)ContractTests",
                [
                    table, "\(name)Contract", "\(name)Stand", "\(name)Upgrade", kit("CofferdamContracts"),
                    kit("CofferdamTesting"), kit("CofferdamUpgrade"),
                ]
            )
    }

    var name: String { port.name }
    var table: String { "\(name)Table" }
    /// The protocol, as other modules name it.
    var portType: String { types.shown(name) }

    /// The types that this package generates.
    var generated: [String] {
        [
            "Operations", "Subject", "Vendor", "Fixtures", "Rules", "Families", "AllCalls", "WiredCall", "Own",
            "Replaced", "Tests", "UpgradeTests",
        ]
        .map { name + $0 }
            + ["V1", "V2", "Fake", "Proxied"].flatMap { ["\($0)\(name)", "\($0)\(name)Vendor"] }
    }

    /// The names of other modules that another declaration hides in the generated files, with their modules.
    private var hidden: [String: String] {
        let own = types.names.union(names).union(generated).union([name])
        return GeneratedNames.imported.filter { own.contains($0.key) }
    }
    var access: String { port.access }

    private func file(_ path: String, _ source: String) -> PortFile {
        let text = GeneratedNames.qualify(hidden, in: source)
        let words = text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        let needsFoundation = words.contains { DeclaredTypes.ofFoundation.contains(String($0)) }
        guard needsFoundation, !words.contains("Foundation") else { return PortFile(path: path, text: text) }
        let isShown = path.hasSuffix("Subject.swift") || path.hasSuffix("Operations.swift") || path.contains("Fake/")
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let end = lines.firstIndex { !$0.contains("import ") } ?? 0
        lines.insert((hasImportAccess && isShown ? "\(access) " : "") + "import Foundation", at: 0)
        lines[...end].sort { ($0.split(separator: " ").last ?? "") < ($1.split(separator: " ").last ?? "") }
        return PortFile(path: path, text: lines.joined(separator: "\n"))
    }

    /// - Parameters:
    ///   - shown: the modules that the file's own declarations expose.
    ///   - used: other modules.
    func imports(_ shown: [String], using used: [String] = []) -> String {
        let outside = sourceImports.filter { !shown.contains($0) && !used.contains($0) }
        let level = hasImportAccess ? "\(access) " : ""
        let lines =
            (shown + outside).map { (module: $0, text: "\(level)import \($0)\n") }
            + used.map { (module: $0, text: "import \($0)\n") }
        return lines.sorted { $0.module < $1.module }.map(\.text).joined() + "\n"
    }

    // MARK: The table

    private var operationsText: String {
        imports([module, "Cofferdam"])
            + "/// The table of ``\(name)``: each method once, with its effect.\n"
            + "\(access) enum \(name)Operations {\n"
            + operations.map(tableEntry).joined(separator: "\n")
            + "}\n\n"
            + "extension Intercepted: \(portType) where Port == any \(portType) {\n"
            + operations.map(forwarding).joined(separator: "\n")
            + "}\n"
    }

    private func tableEntry(_ operation: Operation) -> String {
        let comment = operation.assumption.map { "  /// \($0)\n" } ?? ""
        let parameters = operation.method.parameters
        let effect = ".\(operation.effect.rawValue)"
        let type: String
        let call: String
        switch operation.method.result {
        case .stream(let element, _):
            type = "StreamingOperation<any \(portType), \(input(parameters)), \(element)>"
            call = "$0.\(operation.method.name)(\(arguments(parameters, of: "$1")))"
        case .nothing, .value:
            let output = if case .value(let value) = operation.method.result { value } else { "Void" }
            type = "PortOperation<any \(portType), \(input(parameters)), \(output)>"
            call = "try await $0.\(operation.method.name)(\(arguments(parameters, of: "$1")))"
        }
        let head = "  \(access) static let \(identifier(operation)) = \(type)(\"\(operation.name)\", \(effect)) {\n"
        return comment + head + "    \(call)\n  }\n" + paging(of: operation)
    }

    private func paging(of operation: Operation) -> String {
        guard case .list(let list) = operation.shape, list.isSettable else { return "" }
        return """
              .paged(
                by: Paging(
                  cursor: { \(list.cursor.text("$0.\(list.request.cursor)")) },
                  next: { \(list.cursor.text("$0.\(list.next.name)")) },
                  setCursor: { $0.\(list.request.cursor) = \(list.cursor.cursor("$1")) },
                  setNext: { $0.\(list.next.name) = \(list.cursor.cursor("$1")) },
                  invalid: { NotWritten("the error for the cursor '\\($0)', whose side is closed,") }
                )
              )

            """
    }

    private func forwarding(_ operation: Operation) -> String {
        let parameters = operation.method.parameters
        let value = parameters.isEmpty ? "" : ", \(inputValue(parameters))"
        let entry = "\(name)Operations.\(identifier(operation))"
        if case .stream = operation.method.result {
            return function(operation.method, "self.stream(\(entry)\(value))")
        }
        let call = "$0.\(operation.method.name)(\(arguments(parameters, of: "$1")))"
        // With `self`, because a parameter may be named "call" or "stream".
        return function(operation.method, "try await self.call(\(entry)\(value)) { try await \(call) }")
    }

    // MARK: What is not written yet

    /// All parts, in the order in which to write them: the rules' data, then side by side what they drive.
    var steps: [String] {
        let fixtures =
            (calls.isEmpty ? [] : ["\(name)Fixtures.error(_:)"])
            + operations.flatMap { operation in
                operation.method.parameters.filter { needsFixture($0, of: operation) }
                    .map { "\(name)Fixtures.\(fixtureName($0, of: operation))()" }
            }
        return fixtures
            + ["Fake", "V1", "V2"].flatMap { side in
                vendorNeeds(of: side).map { "\(side)\(name)Vendor.\($0.call)" }
                    + port.methods.map { "\(side)\(name).\($0.fullName.filter { $0 != "`" })" }
            }
    }

    /// The error of a part.
    func notWritten(_ what: String) -> String {
        let step = stepNumbers[what].map { ", step: \($0)" } ?? ""
        return "NotWritten(\"\(what.replacing("\"", with: "\\\""))\"\(step))"
    }

    // MARK: Adapters

    private func adapter(_ type: String, _ title: String) -> String {
        let methods = port.methods.map { method in
            let error = notWritten("\(type).\(method.fullName.filter { $0 != "`" })")
            if case .stream(let element, _) = method.result {
                return function(method, "AsyncThrowingStream<\(element), any Error> { $0.finish(throwing: \(error)) }")
            }
            return function(method, "throw \(error)")
        }
        return imports([module], using: ["Cofferdam"])
            + "/// \(title)\n"
            + "\(access) final class \(type): \(portType) {\n"
            + "  \(access) init() {}\n\n"
            + methods.joined(separator: "\n")
            + "}\n"
    }

    // MARK: Signatures

    func function(_ method: PortDeclaration.Method, _ body: String) -> String {
        let parameters = method.parameters.map { parameter in
            let label = parameter.label == parameter.name.filter { $0 != "`" } ? "" : "\(parameter.label ?? "_") "
            return "\(label)\(parameter.name): \(parameter.declaredType)"
        }
        let effects =
            switch method.result {
            case .nothing: " async throws"
            case .value(let type): " async throws -> \(type)"
            case .stream(_, let type): " -> \(type)"
            }
        let head = "  \(access) func \(method.name)(\(parameters.joined(separator: ", ")))\(effects) {\n"
        return head + "    \(body)\n  }\n"
    }

    func identifier(_ operation: Operation) -> String {
        var name = operation.name
        // Beside it, the generated type could not be named; the others mean something else behind a dot.
        while generated.contains(name) || ["Protocol", "Type"].contains(name)
            || name != operation.name && names.contains(name)
        { name += "_" }
        return GeneratedNames.identifier(name)
    }

    private func input(_ parameters: [PortDeclaration.Parameter]) -> String {
        switch parameters.count {
        case 0: "Void"
        case 1: parameters[0].type.contains("->") ? "(\(parameters[0].type))" : parameters[0].type
        default: "(\(parameters.map { "\($0.name): \($0.type)" }.joined(separator: ", ")))"
        }
    }

    private func inputValue(_ parameters: [PortDeclaration.Parameter]) -> String {
        let names = parameters.map(\.name).joined(separator: ", ")
        return parameters.count == 1 ? names : "(\(names))"
    }

    private func arguments(_ parameters: [PortDeclaration.Parameter], of input: String) -> String {
        parameters.map { parameter in
            (parameter.label.map { "\($0): " } ?? "") + (parameters.count == 1 ? input : "\(input).\(parameter.name)")
        }
        .joined(separator: ", ")
    }
}
