// swift-tools-version: 6.3
import PackageDescription

// The fuzzers: a package of its own, so that the project's builds stay free of instrumentation. The folders of the
// project are linked into Sources, which makes them targets of this package: they are instrumented with the fuzzers,
// and their `package` declarations can be reached.
//
// With KAIRAN_FUZZ_CORE=1 only `fuzz-core` is described, which needs no outside package.
let coreOnly = Context.environment["KAIRAN_FUZZ_CORE"] == "1"

// Optimised as in a release, but every assertion stays: a forbidden state has to stop the fuzzer.
let instrumented: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    // Elsewhere the targets are a library, of which a test runs the corpora.
    .define("KAIRAN_FUZZER"),
    .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library", "-assert-config", "Debug", "-enable-testing"]),
    // Generic code is compiled for the types of the targets: unspecialised, it would look for metadata most of the time.
    .unsafeFlags(["-cross-module-optimization"]),
]

/// A folder of the project; `sources` names the part of it that needs nothing heavy.
func project(_ name: String, _ dependencies: [Target.Dependency], sources: [String]? = nil) -> Target {
    .target(name: name, dependencies: dependencies, sources: sources, swiftSettings: instrumented)
}

/// A folder of the fuzzers.
func fuzzing(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Targets/\(name)", swiftSettings: instrumented)
}

/// The C file that the linker starts from: libFuzzer brings `main`, and Swift would rename one of its own.
func program(_ name: String, _ entries: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [.target(name: entries)],
        path: "Targets/\(name)",
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]
    )
}

/// Asks libsodium's slow functions once, which would be most of an execution otherwise.
let memo = Target.target(name: "FuzzSodium", path: "Targets/FuzzSodium")

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")

let core: [Target] = [
    .systemLibrary(name: "CSodium", path: "Sources/CSodium"),
    project("Sodium", ["CSodium"]),
    project("Wire", []),
    project("Queries", ["Wire"]),
    project("Records", ["Wire", "Sodium"]),
    project("Identity", ["Wire", "Sodium"]),
    project("Capabilities", ["Identity", "Wire", "Sodium"]),
    project("Session", ["Wire", "Sodium"]),
    project("Mailbox", ["Records", "Wire", "Sodium"]),
    project("Sync", ["Mailbox", "Queries", "Records", "Capabilities", "Identity", "Wire", "Sodium"]),
    project("Peering", ["Sync", "Session", "Identity", "Wire", "Sodium"]),
    // The stand-in for a primitive that the core does not implement.
    project("Simulator", ["Session", "Sodium"], sources: ["Channel/StandInEncapsulation.swift"]),
    project("TestSupport", []),
    memo,
    fuzzing("FuzzKit", []),
    fuzzing(
        "CoreFuzz",
        [
            "FuzzKit", "FuzzSodium", "TestSupport", "Simulator", "Mailbox", "Sync", "Session", "Queries", "Records",
            "Capabilities",
            "Identity", "Wire", "Sodium",
        ]
    ),
    program("fuzz-core", "CoreFuzz"),
]

let outer: [Target] = [
    .systemLibrary(name: "CAvahi", path: "Sources/CAvahi"),
    project("KairanInterface", []),
    project(
        "Node",
        [
            "KairanInterface", "Peering", "Mailbox", "Sync", "Queries", "Records", "Capabilities", "Identity",
            "Session", "Wire",
            "Sodium", log,
            metrics,
            .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        ]
    ),
    project(
        "Store",
        [
            "Mailbox", "Node", "Sync", "Queries", "Records", "Identity", "Sodium", "Wire", log,
            .product(name: "GRDB", package: "GRDB.swift"),
            .product(name: "GRDBSQLite", package: "GRDB.swift"),
        ]
    ),
    project(
        "Discovery",
        ["Node", "CAvahi", log],
        sources: [
            "Candidates", "Interfaces", "Station", "Avahi/AvahiError.swift", "Avahi/DaemonConnection.swift",
            "Avahi/DaemonOccurrence.swift",
        ]
    ),
    project(
        "KairanClient",
        ["KairanInterface"],
        sources: ["Exports.swift", "Streams/ServerSentEvents.swift"]
    ),
    project(
        "LocalAPI",
        ["Node", "KairanInterface", "Wire", "Sodium"],
        sources: [
            "Access/ApplicationBinding.swift", "Access/ApplicationToken.swift", "Access/DisabledApplication.swift",
            "Access/RequestRate.swift",
            "Mapping/ConflictResolution+Reading.swift", "Mapping/FieldValue+JSON.swift",
            "Mapping/FieldValue+Reading.swift", "Mapping/RecordDraft+Reading.swift", "Mapping/RequestObject.swift",
            "Routes/String+PercentDecoding.swift",
        ]
    ),
    project(
        "PeerDaemon",
        [
            "Node", "LocalAPI", "Identity", "Sodium", log,
            .product(name: "Configuration", package: "swift-configuration"), .product(name: "Yams", package: "Yams"),
        ],
        sources: [
            "Configuration", "Secrets/PassphrasePrompt.swift", "Secrets/SecretSources.swift",
            "Secrets/UnlockingFile.swift",
        ]
    ),
    fuzzing(
        "OuterFuzz",
        [
            "FuzzKit", "TestSupport", "Discovery", "KairanInterface", "KairanClient", "LocalAPI", "PeerDaemon", "Node",
            "Peering", "Sync", "Identity",
            "Wire", log,
        ]
    ),
    program("fuzz-outer", "OuterFuzz"),
    fuzzing(
        "StoreFuzz",
        ["FuzzKit", "FuzzSodium", "TestSupport", "Store", "Node", "Sync", "Records", "Identity", "Wire", "Sodium", log]
    ),
    program("fuzz-store", "StoreFuzz"),
]

let packages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
]

let package = Package(
    name: "kairan-fuzz",
    platforms: [.macOS(.v26)],
    dependencies: coreOnly ? [] : packages,
    targets: coreOnly ? core : core + outer
)
