/// The permitted imports of each target. A module that is not in a target's row is refused.
enum ImportTable {
    /// Modules of Swift or the system. Every target except those in `purest` may import them.
    static let system: Set = [
        "Foundation", "FoundationEssentials", "FoundationNetworking", "Synchronization", "Dispatch", "Glibc", "Musl",
        "Darwin", "MachO", "Observation",
    ]

    /// The vendor's SDKs. Only the adapters may import them, and no target may re-export them.
    static let vendors: Set = ["MenagerieV1", "MenagerieV2"]

    /// Targets that import nothing at all.
    static let purest: Set = ["SanctuaryDomain"]

    static let rows: [String: Set<String>] = [
        // The kit
        "Cofferdam": ["Logging", "DequeModule"],
        "CofferdamStore": ["Cofferdam", "GRDB"],
        "CofferdamContracts": ["Cofferdam"],
        "CofferdamTesting": ["CofferdamContracts", "Cofferdam", "Testing"],
        "CofferdamStand": ["CofferdamContracts", "Cofferdam", "NIOCore", "NIOPosix"],
        "CofferdamUpgrade": ["Cofferdam", "DequeModule", "GRDB"],
        "CCofferdamSides": [],
        "CofferdamSides": ["CCofferdamSides"],
        "cofferdam-side-probe": ["CofferdamSides"],
        "CofferdamFleet": ["CofferdamUpgrade", "CofferdamCurl", "Cofferdam", "HTTPTypes", "CoreMetrics"],
        "CofferdamTelemetry": ["Cofferdam", "CoreMetrics", "Tracing"],
        "CLibcurl": [], "CZlib": [], "CBrotli": [], "CZstandard": [],
        "CofferdamCurl": [
            "Cofferdam", "CLibcurl", "CZlib", "CBrotli", "CZstandard", "HTTPTypes", "Logging", "CoreMetrics", "Tracing",
        ],
        "CofferdamRehearsal": ["CofferdamContracts", "CofferdamUpgrade", "Cofferdam"],
        "CofferdamTool": [
            "Cofferdam", "CofferdamContracts", "CofferdamRehearsal", "CofferdamUpgrade", "ArgumentParser", "Subprocess",
            "SystemPackage", "System",
        ],
        "CofferdamCommand": ["CofferdamTool"],
        // The app's side
        "SanctuaryDomain": [],
        "SanctuaryOperations": ["SanctuaryDomain", "Cofferdam"],
        "SanctuaryContracts": ["SanctuaryOperations", "SanctuaryDomain", "Cofferdam", "CofferdamContracts"],
        "SanctuaryFake": ["SanctuaryDomain", "SanctuaryContracts", "Cofferdam", "CofferdamContracts"],
        "SanctuaryApp": ["SanctuaryDomain", "Cofferdam", "CofferdamStore"],
        "SanctuaryRouting": ["SanctuaryOperations", "SanctuaryDomain", "Cofferdam", "CofferdamUpgrade"],
        "sanctuary": [
            "SanctuaryApp", "SanctuaryDomain", "SanctuarySDK", "Cofferdam", "CofferdamStore", "ArgumentParser",
        ],
        // The wall
        "MenagerieV1Adapter": ["SanctuaryDomain", "Cofferdam", "MenagerieV1"],
        "MenagerieV2Adapter": ["SanctuaryDomain", "Cofferdam", "MenagerieV2"],
        "SanctuarySDK": [
            "SanctuaryDomain", "SanctuaryRouting", "Cofferdam", "CofferdamUpgrade", "MenagerieV1Adapter",
            "MenagerieV2Adapter", "MenagerieService",
        ],
        "SanctuaryHarness": [
            "SanctuaryDomain", "SanctuaryOperations", "SanctuaryContracts", "SanctuaryRouting", "Cofferdam",
            "CofferdamContracts", "CofferdamStand",
            "CofferdamUpgrade", "MenagerieV1Adapter", "MenagerieV2Adapter", "MenagerieService",
        ],
        "vendorctl": [
            "CofferdamRehearsal", "CofferdamTool", "SanctuaryHarness", "SanctuaryOperations", "SanctuaryContracts",
            "SanctuaryFake",
            "SanctuaryDomain",
            "SanctuaryRouting", "Cofferdam", "CofferdamContracts", "CofferdamUpgrade", "CofferdamFleet",
            "MenagerieService",
        ],
        // The vendor, whose SDKs bundle an HTTP client
        "MenagerieV1": ["CofferdamCurl", "HTTPTypes"],
        "MenagerieV2": ["CofferdamCurl", "HTTPTypes"],
        "MenagerieService": [
            "Hummingbird", "HummingbirdCore", "HTTPTypes", "Logging", "NIOCore", "NIOPosix", "ServiceLifecycle",
            "AsyncAlgorithms", "GRDB",
        ],
        "menagerie-service": ["MenagerieService", "ArgumentParser", "Logging", "UnixSignals"],
        // Tests
        "CofferdamTests": ["CofferdamTesting", "TestSupport", "Cofferdam", "Testing", "Logging"],
        "CofferdamStoreTests": ["CofferdamTesting", "TestSupport", "CofferdamStore", "Cofferdam", "Testing", "GRDB"],
        "CofferdamContractsTests": [
            "TestSupport", "CofferdamContracts", "CofferdamTesting", "Cofferdam", "Testing", "FoundationXML",
            "Subprocess",
            "SystemPackage", "System",
        ],
        "CofferdamStandTests": [
            "CofferdamTesting", "TestSupport", "CofferdamStand", "CofferdamContracts", "Cofferdam", "NIOCore",
            "NIOPosix", "Testing",
        ],
        "CofferdamUpgradeTests": [
            "UpgradeTestSupport", "CofferdamTesting", "TestSupport", "CofferdamUpgrade", "Cofferdam", "GRDB",
            "Subprocess", "SystemPackage", "System", "Testing",
        ],
        // SettingsPorts, Vendor and CVendor: the fixtures', which the tests compile themselves.
        "CofferdamSidesTests": [
            "CofferdamSides", "CofferdamUpgrade", "Cofferdam", "TestSupport", "SettingsPorts", "Vendor", "CVendor",
            "Subprocess", "SystemPackage", "System", "Testing",
        ],
        "CofferdamFleetTests": [
            "UpgradeTestSupport", "CofferdamTesting", "TestSupport", "CofferdamFleet", "CofferdamUpgrade",
            "CofferdamCurl", "Cofferdam", "HTTPTypes", "CoreMetrics",
            "Subprocess",
            "SystemPackage", "System", "Testing",
        ],
        "CofferdamTelemetryTests": [
            "CofferdamTelemetry", "Cofferdam", "CoreMetrics", "MetricsTestKit", "Tracing", "InMemoryTracing", "Testing",
        ],
        "CofferdamCurlTests": [
            "CofferdamCurl", "Cofferdam", "CLibcurl", "HTTPTypes", "Testing", "Logging", "InMemoryLogging",
            "CoreMetrics", "MetricsTestKit", "Tracing", "InMemoryTracing",
        ],
        // PackageDescription: its manifest.
        "Fuzz": ["CofferdamCurl", "CLibFuzzer", "HTTPTypes", "PackageDescription"],
        "TestSupport": ["Cofferdam", "Subprocess", "SystemPackage", "System", "Testing"],
        "UpgradeTestSupport": ["CofferdamUpgrade", "Testing"],
        "CommandTestSupport": ["MenagerieService", "Subprocess"],
        "CofferdamRehearsalTests": [
            "CofferdamRehearsal", "CofferdamContracts", "CofferdamTesting", "TestSupport", "CofferdamUpgrade",
            "Cofferdam", "Testing",
        ],
        "CofferdamToolTests": [
            "CofferdamRehearsal",
            "CofferdamTesting", "TestSupport", "CofferdamTool", "Cofferdam", "CofferdamContracts", "CofferdamUpgrade",
            "ArgumentParser", "Subprocess",
            "SystemPackage", "System", "Testing",
        ],
        "SanctuaryDomainTests": ["SanctuaryDomain", "Testing"],
        "SanctuaryFakeTests": [
            "SanctuaryFake", "SanctuaryContracts", "SanctuaryDomain", "CofferdamContracts", "CofferdamTesting",
            "Testing",
        ],
        "SanctuaryContractsTests": [
            "SanctuaryContracts", "SanctuaryDomain", "SanctuaryFake", "SanctuaryHarness", "CofferdamContracts",
            "CofferdamTesting", "CofferdamUpgrade", "SanctuaryOperations", "SanctuaryRouting", "Cofferdam", "Testing",
        ],
        "SanctuaryAppTests": [
            "SanctuaryApp", "SanctuaryDomain", "SanctuaryFake", "Cofferdam", "CofferdamStore", "Testing",
        ],
        "MenagerieV1AdapterTests": [
            "MenagerieV1Adapter", "MenagerieV1", "MenagerieService", "SanctuaryDomain", "Cofferdam", "Testing",
        ],
        "MenagerieV2AdapterTests": [
            "CofferdamTesting", "MenagerieV2Adapter", "MenagerieV2", "MenagerieV1Adapter", "MenagerieService",
            "SanctuaryDomain",
            "Cofferdam", "HTTPTypes", "Testing",
        ],
        "SanctuarySDKTests": [
            "SanctuarySDK", "SanctuaryDomain", "MenagerieService", "Cofferdam", "CofferdamUpgrade", "Testing",
        ],
        "MenagerieServiceTests": ["MenagerieService", "CofferdamCurl", "HTTPTypes", "Testing"],
        "SanctuaryCommandTests": ["CommandTestSupport", "MenagerieService", "Subprocess", "SystemPackage", "Testing"],
        "VendorctlTests": ["CommandTestSupport", "MenagerieService", "Subprocess", "SystemPackage", "Testing"],
        "ArchitectureTests": ["Subprocess", "SystemPackage", "System", "Testing"],
    ]
}
