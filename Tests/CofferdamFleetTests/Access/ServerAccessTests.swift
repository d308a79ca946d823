#if Fleet
import CofferdamFleet
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport

@Suite struct ServerAccessTests {
    private static let address = "https://upgrades.example.com"

    @Test func `the token comes from a variable or a file, and appears in no text`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID())")
        try Data("sesame\n".utf8).write(to: file)
        defer { removeFolder(file.path) }
        for environment in [
            ["COFFERDAM_SERVER_TOKEN": "sesame"], ["COFFERDAM_SERVER_TOKEN_FILE": file.path],
            ["COFFERDAM_SERVER_TOKEN": "", "COFFERDAM_SERVER_TOKEN_FILE": file.path],
        ] {
            let access = try ServerAccess(Self.address, environment: environment)
            #expect(access.token == "sesame")
            let server = access.server()
            for text in ["\(access)", String(reflecting: access), "\(server)", String(reflecting: server)] {
                #expect(!text.contains("sesame"))
            }
        }
    }

    @Test(
        arguments: [
            (address, [:], "COFFERDAM_SERVER_TOKEN: there is no token"),
            ("upgrades.example.com", ["TOKEN": "sesame"], "COFFERDAM_SERVER: "),
            ("https://me:sesame@example.com", ["TOKEN": "sesame"], "COFFERDAM_SERVER: "),
            (address, ["TOKEN": "sesame open"], "COFFERDAM_SERVER_TOKEN: a token must have no space"),
            (address, ["TOKEN": "sesame\r\nHost: a"], "COFFERDAM_SERVER_TOKEN: a token must have no space"),
            (address, ["TOKEN": "sesame", "TOKEN_FILE": "/dev/null"], "COFFERDAM_SERVER_TOKEN_FILE: "),
            (address, ["TOKEN_FILE": "/nowhere"], "COFFERDAM_SERVER_TOKEN_FILE: /nowhere cannot be read"),
            (address, ["TOKEN": "sesame", "KEY": "a"], "COFFERDAM_SERVER_CERT: "),
        ] as [(String, [String: String], String)]
    )
    func `what is missing or wrong is named, without the token`(
        address: String,
        variables: [String: String],
        says: String
    ) {
        let environment = Dictionary(uniqueKeysWithValues: variables.map { ("COFFERDAM_SERVER_\($0.key)", $0.value) })
        let error = #expect(throws: UpgradeStoreError.self) { try ServerAccess(address, environment: environment) }
        #expect(error?.description.hasPrefix(says) == true, "\(String(describing: error))")
        #expect(error?.description.contains("sesame") == false)
    }
}
#endif
