// swift-tools-version: 6.3
import PackageDescription

// With KAIRAN_PURE=1 only the pure targets are described: no outside package is resolved or built, so the
// edit-test loop of the protocol core takes seconds.
let pureOnly = Context.environment["KAIRAN_PURE"] == "1"

// With KAIRAN_EXAMPLES=1 all applications of Examples are built here, beside what they use. As a package of their own, which they are
// for everybody else, they would have all of it built a second time.
let withExamples = Context.environment["KAIRAN_EXAMPLES"] == "1"

// With KAIRAN_PROGRAMS=1 only what is installed and what it consists of are described, so that one `swift build` makes these programs
// and nothing else: no simulator, no fuzzer, no test.
let programsOnly = Context.environment["KAIRAN_PROGRAMS"] == "1"

// With KAIRAN_SIMULATOR=1 only kairan-sim and what it consists of are described, with the one outside package that these need.
let simulatorOnly = Context.environment["KAIRAN_SIMULATOR"] == "1"

// With KAIRAN_OPTIMISED=1 a build for debugging optimises what the tests compute with, and keeps every assertion: they take a fraction of
// the time then, and nobody can step through them. Continuous integration builds so.
let isOptimised = Context.environment["KAIRAN_OPTIMISED"] == "1"
let computing: [SwiftSetting] =
    isOptimised ? [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : []

// How the programs are linked that are installed; `swift build` has no options for it. The linker is one that knows short tables of relative
// addresses, and of ICU's data there is what `scripts/icu-data` leaves.
let installed: [LinkerSetting] =
    programsOnly
    ? [
        .unsafeFlags([
            "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-export-dynamic",
            Context.packageDirectory + "/.build-icu/icu-data.o",
        ])
    ] : []

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .treatAllWarnings(as: .error),
]
let memorySafe = strict + [.strictMemorySafety()]

func pure(_ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = strict) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings + computing)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: strict)
}

let nio: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
]
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

// Layers 0 to 2: system libraries and the pure core.
let pureTargets: [Target] = [
    .systemLibrary(name: "CSodium", path: "Sources/CSodium"),
    pure("Sodium", ["CSodium"], memorySafe),
    pure("Wire", [], memorySafe),
    pure("Queries", ["Wire"]),
    pure("Records", ["Wire", "Sodium"]),
    pure("Identity", ["Wire", "Sodium"]),
    pure("Capabilities", ["Identity", "Wire", "Sodium"]),
    pure("Session", ["Wire", "Sodium"]),
    pure("Mailbox", ["Records", "Wire", "Sodium"]),
    pure("Sync", ["Mailbox", "Queries", "Records", "Capabilities", "Identity", "Wire", "Sodium"]),
    pure("Peering", ["Sync", "Session", "Identity", "Wire", "Sodium"]),
    pure(
        "Simulator",
        ["Peering", "Mailbox", "Sync", "Queries", "Session", "Records", "Capabilities", "Identity", "Wire", "Sodium"]
    ),
    .target(name: "TestSupport", path: "Tests/Support", swiftSettings: strict + computing),
    .target(
        name: "ReplicaBehaviour",
        dependencies: ["Records", "Wire", "Sodium"],
        path: "Tests/ReplicaBehaviour",
        swiftSettings: strict + computing
    ),
    .target(
        name: "NodeStoreBehaviour",
        dependencies: ["ReplicaBehaviour", "Sync", "Queries", "Records", "Wire", "TestSupport"],
        path: "Tests/NodeStoreBehaviour",
        swiftSettings: strict + computing
    ),
    tests("SodiumTests", ["Sodium"]),
    tests("WireTests", ["Wire"]),
    tests("QueriesTests", ["Queries", "Wire"]),
    tests("RecordsTests", ["Records", "ReplicaBehaviour", "Wire", "Sodium"]),
    tests("IdentityTests", ["Identity", "Wire", "Sodium"]),
    tests("CapabilitiesTests", ["Capabilities", "Identity", "Wire", "Sodium"]),
    .target(
        name: "ParcelStorageBehaviour",
        dependencies: ["Mailbox", "Wire", "TestSupport"],
        path: "Tests/ParcelStorageBehaviour",
        swiftSettings: strict
    ),
    tests("MailboxTests", ["Mailbox", "ParcelStorageBehaviour", "Records", "Wire", "Sodium"]),
    tests("SessionTests", ["Session", "Simulator", "Wire", "Sodium"]),
    tests(
        "SyncTests",
        [
            "Peering", "Sync", "Session", "Queries", "NodeStoreBehaviour", "ReplicaBehaviour", "Records",
            "Capabilities", "Identity", "Wire", "Sodium",
        ]
    ),
    tests(
        "SimulatorTests",
        ["Simulator", "Peering", "Sync", "Session", "Records", "Capabilities", "Identity", "Wire", "Sodium"]
    ),
    tests("ConformanceTests", ["Sodium", "Wire", "Records", "Session", "Simulator"]),
    tests("TidyTests", []),
]

// Layer 3 and 4: drivers, services and the two programs.
let outerTargets: [Target] = [
    .systemLibrary(name: "CAvahi", path: "Sources/CAvahi"),
    .systemLibrary(name: "CNATS", path: "Sources/CNATS"),
    .target(
        name: "Node",
        dependencies: [
            "KairanInterface", "Peering", "Mailbox", "Sync", "Queries", "Records", "Capabilities", "Identity",
            "Session", "Wire", "Sodium", log,
            metrics,
            lifecycle,
        ],
        swiftSettings: strict
    ),
    .target(name: "Exposition", dependencies: ["Node", metrics], swiftSettings: strict),
    .target(
        name: "Store",
        dependencies: [
            "Mailbox", "Node", "Sync", "Queries", "Records", "Identity", "Sodium", "Wire", log,
            .product(name: "GRDB", package: "GRDB.swift"),
            .product(name: "GRDBSQLite", package: "GRDB.swift"),
        ],
        swiftSettings: strict + computing
    ),
    .target(
        name: "Listening",
        dependencies: [log, .product(name: "NIOCore", package: "swift-nio")],
        swiftSettings: strict
    ),
    .target(
        name: "Transport",
        dependencies: ["Listening", "Session", "Wire", "Sodium", "Node", log, lifecycle] + nio,
        swiftSettings: strict
    ),
    .target(
        name: "Sealing",
        dependencies: [
            "Session", "Sync", "Records", "Sodium", .product(name: "Crypto", package: "swift-crypto"),
        ],
        swiftSettings: strict
    ),
    .target(
        name: "Discovery",
        dependencies: ["Node", "CAvahi", log, lifecycle],
        swiftSettings: memorySafe
    ),
    .target(
        name: "JetStream",
        dependencies: ["Mailbox", "Wire", "CNATS", log],
        swiftSettings: memorySafe
    ),
    // The form of the interface, for both of its sides.
    .target(name: "KairanInterface", swiftSettings: strict),
    .target(name: "KairanClient", dependencies: ["KairanInterface"] + nio + [nioHTTP1], swiftSettings: strict),
    // For applications as `KairanClient` is: it needs pure targets and SwiftNIO alone.
    .target(
        name: "KairanTesting",
        dependencies: [
            "KairanClient", "KairanInterface", "Queries", "Wire", nioHTTP1,
            .product(name: "NIOCore", package: "swift-nio"),
        ],
        swiftSettings: strict
    ),
    .target(
        name: "LocalAPI",
        dependencies: [
            "Listening", "Node", "KairanInterface", "Queries", "Wire", "Sodium", log, lifecycle,
            .product(name: "Hummingbird", package: "hummingbird"),
            .product(name: "HummingbirdCore", package: "hummingbird"),
            .product(name: "HTTPTypes", package: "swift-http-types"),
        ] + nio,
        resources: [.embedInCode("Document/openapi.yaml")],
        swiftSettings: strict
    ),
    .target(name: "Invocation", swiftSettings: strict),
    // Files as records, for the programs that show a zone as files.
    .target(
        name: "FileRecords",
        dependencies: ["KairanInterface", "Wire", .product(name: "Crypto", package: "swift-crypto")],
        swiftSettings: strict
    ),
    // System calls on files that the C library's module for Swift lacks.
    .target(name: "CFiles"),
    // Files beneath the roots of a daemon, which other programs keep.
    .target(name: "Linking", dependencies: ["CFiles", "Node", "Sync"], swiftSettings: strict),
    // A folder that is imported into a zone.
    .target(
        name: "Importing",
        dependencies: [
            "CFiles", "FileRecords", "KairanClient", "KairanInterface",
            .product(name: "Crypto", package: "swift-crypto"),
        ],
        swiftSettings: strict
    ),
    // A folder that is kept in step with a zone.
    .target(
        name: "Folders",
        dependencies: [
            "CFiles", "FileRecords", "KairanClient", "KairanInterface",
            .product(name: "Crypto", package: "swift-crypto"),
        ],
        swiftSettings: strict
    ),
    // The part of libfuse that a mount needs, as functions and structures that Swift imports.
    .target(name: "CFUSE", linkerSettings: [.linkedLibrary("fuse3")]),
    // A zone as a folder, for a program of its own.
    .target(
        name: "Mounting",
        dependencies: [
            "CFUSE", "FileRecords", "KairanClient", "KairanInterface", "Invocation", signals,
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
            .product(name: "Crypto", package: "swift-crypto"),
        ],
        swiftSettings: memorySafe
    ),
    .target(
        name: "PeerDaemon",
        dependencies: [
            "Mailbox", "Node", "Store", "Listening", "Linking", "Transport", "Sealing", "Discovery", "Exposition",
            "LocalAPI",
            "Session", "Invocation",
            "Sync", "Identity", "Wire", "Sodium", log, lifecycle, signals,
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
            .product(name: "Configuration", package: "swift-configuration"),
            .product(name: "Yams", package: "Yams"),
        ] + nio,
        swiftSettings: strict
    ),
    .executableTarget(
        name: "PeerSimulator",
        dependencies: [
            "Simulator", "Invocation", .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        swiftSettings: strict
    ),
    .target(
        name: "PeerControl",
        dependencies: [
            "KairanClient", "KairanInterface", "Invocation", "FileRecords", "Folders", "Importing",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        swiftSettings: strict,
        // ICU is in the toolchain's Foundation, and no module that is imported here names the library.
        linkerSettings: [.linkedLibrary("_FoundationICU", .when(platforms: [.linux]))]
    ),
    .executableTarget(
        name: "DaemonProgram",
        dependencies: ["PeerDaemon", "PeerControl"],
        swiftSettings: strict,
        linkerSettings: installed
    ),
    .executableTarget(name: "ControlProgram", dependencies: ["PeerControl"], swiftSettings: strict),
    // The one program that is linked to libnats, and looks for it where the package of its own puts it.
    .executableTarget(
        name: "RelayClusterProgram",
        dependencies: ["PeerDaemon", "JetStream"],
        swiftSettings: strict,
        linkerSettings: installed + (programsOnly ? [.unsafeFlags(["-Xlinker", "-rpath=/usr/lib/kairan"])] : [])
    ),
    // The one program that is linked to libfuse, and looks for it there too.
    .executableTarget(
        name: "MountProgram",
        dependencies: ["Mounting"],
        swiftSettings: strict,
        linkerSettings: installed + (programsOnly ? [.unsafeFlags(["-Xlinker", "-rpath=/usr/lib/kairan"])] : [])
    ),
    tests(
        "NodeTests",
        [
            "CFaultyVFS", "Exposition", "KairanInterface", "Node", "Peering", "Mailbox", "Store", "Transport",
            "Sealing",
            "Queries", "Records",
            "Capabilities",
            "Sync", "Identity",
            "Session", "Wire", "Sodium",
            log,
            lifecycle,
        ]
    ),
    tests(
        "StoreTests",
        [
            "Store", "Mailbox", "Node", "Sync", "Identity", "NodeStoreBehaviour", "ReplicaBehaviour",
            "ParcelStorageBehaviour",
            "Queries", "Records", "Wire", "Sodium",
            .product(name: "GRDBSQLite", package: "GRDB.swift"),
            .product(name: "GRDB", package: "GRDB.swift"),
        ]
    ),
    // A disk that forgets, under SQLite: test-only, in C because SQLite's interface to files is.
    .target(name: "CFaultyVFS", path: "Tests/PowerCut/CFaultyVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
    .testTarget(
        name: "PowerCutTests",
        dependencies: [
            "CFaultyVFS", "Store", "ReplicaBehaviour", "Sync", "Records", "Wire", "Sodium", "TestSupport", log,
            .product(name: "GRDBSQLite", package: "GRDB.swift"),
        ],
        path: "Tests/PowerCut/PowerCutTests",
        swiftSettings: strict
    ),
    tests(
        "SealingTests",
        ["Sealing", "Session", "Sync", "Records", "Wire", "Sodium", .product(name: "Crypto", package: "swift-crypto")]
    ),
    tests(
        "TransportTests",
        ["Listening", "Transport", "Sealing", "Node", "Session", "Wire", "Sodium", log, lifecycle, nioEmbedded] + nio
    ),
    tests("DiscoveryTests", ["Discovery", "Node", log, lifecycle]),
    tests("ExpositionTests", ["Exposition", "Node", metrics]),
    tests("JetStreamTests", ["JetStream", "ParcelStorageBehaviour", "Mailbox", "Wire", log]),
    tests(
        "LocalAPITests",
        [
            "LocalAPI", "Exposition", "Node", "Store", "Sealing", "KairanInterface", "KairanClient", "KairanTesting",
            "Queries", "Wire",
            log,
            lifecycle,
            .product(name: "Hummingbird", package: "hummingbird"),
            .product(name: "HummingbirdCore", package: "hummingbird"),
            .product(name: "HTTPTypes", package: "swift-http-types"),
            .product(name: "Yams", package: "Yams"),
            nioEmbedded, nioHTTP1,
        ] + nio
    ),
    tests("FileRecordsTests", ["FileRecords", "KairanInterface"]),
    tests("LinkingTests", ["Linking", "Node", "Sync"]),
    tests("ImportingTests", ["Importing", "FileRecords", "KairanClient", "KairanInterface", "KairanTesting"]),
    tests(
        "MountingTests",
        [
            "Mounting", "FileRecords", "KairanClient", "KairanInterface", "KairanTesting", nioHTTP1,
            .product(name: "NIOCore", package: "swift-nio"),
        ]
    ),
    tests("FoldersTests", ["Folders", "FileRecords", "KairanClient", "KairanInterface", "KairanTesting"]),
    tests("PeerDaemonTests", ["PeerDaemon", "Invocation", "KairanInterface", "Sync", log]),
    tests(
        "PeerControlTests",
        [
            "PeerControl", "KairanClient", "Invocation", "FileRecords", "Folders", "Importing",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ]
    ),
]

// The fuzzers and the benchmarks are packages of their own, built seldom and for long. Here they are compiled with the tests: a change that
// they do not follow fails in the first build. A test runs the inputs that the fuzzers have kept.
func beside(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Fuzz/Targets/\(name)", swiftSettings: strict)
}

let besideTargets: [Target] = [
    beside("FuzzKit", []),
    beside(
        "CoreFuzz",
        [
            "FuzzKit", "TestSupport", "Simulator", "Mailbox", "Sync", "Session", "Queries", "Records", "Capabilities",
            "Identity", "Wire", "Sodium",
        ]
    ),
    beside(
        "OuterFuzz",
        [
            "FuzzKit", "TestSupport", "Discovery", "KairanInterface", "KairanClient", "LocalAPI", "PeerDaemon", "Node",
            "Sync", "Identity",
            "Wire", log,
        ]
    ),
    beside(
        "StoreFuzz",
        ["FuzzKit", "TestSupport", "Store", "Node", "Sync", "Records", "Identity", "Wire", "Sodium", log]
    ),
    tests("CorpusTests", ["FuzzKit", "CoreFuzz", "OuterFuzz", "StoreFuzz"]),
    .executableTarget(
        name: "core-bench",
        dependencies: ["Sealing", "Sync", "Records", "Capabilities", "Identity", "Wire", "Sodium", "TestSupport"],
        path: "Benchmarks/Targets/CoreBench",
        swiftSettings: strict
    ),
]

let exampleSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// Of Examples/Package.swift, with which `scripts/check-packages` compares them. The tutorial's program is built with the tests, one of
// which runs it.
let tutorial: Target = .executableTarget(
    name: "Notes",
    dependencies: ["KairanClient"],
    path: "Examples/Notes",
    swiftSettings: exampleSettings
)
let examples: [Target] = [
    .executableTarget(
        name: "Chat",
        dependencies: ["KairanClient", .product(name: "ArgumentParser", package: "swift-argument-parser")],
        path: "Examples/Chat",
        swiftSettings: exampleSettings
    ),
    .executableTarget(
        name: "Photos",
        dependencies: ["KairanClient", .product(name: "ArgumentParser", package: "swift-argument-parser")],
        path: "Examples/Photos",
        swiftSettings: exampleSettings
    ),
]

let exampleProducts: [Product] = [
    .executable(name: "kairan-chat", targets: ["Chat"]),
    .executable(name: "kairan-notes", targets: ["Notes"]),
    .executable(name: "kairan-photos", targets: ["Photos"]),
]

let argumentParser: Package.Dependency = .package(
    url: "https://github.com/apple/swift-argument-parser",
    from: "1.8.0"
)
let packages: [Package.Dependency] = [
    argumentParser,
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
]

/// The targets that one of the named ones needs, these included.
func needed(by names: [String], of targets: [Target]) -> [Target] {
    var found: Set<String> = []
    var open = names
    while let name = open.popLast() {
        guard let target = targets.first(where: { $0.name == name }), found.insert(name).inserted else { continue }
        for case .byNameItem(let dependency, _) in target.dependencies { open.append(dependency) }
    }
    return targets.filter { found.contains($0.name) }
}

// Where programs are installed, kairan is a link to kairand.
let programs: [Product] = [
    .executable(name: "kairand", targets: ["DaemonProgram"]),
    .executable(name: "kairand-relay-cluster", targets: ["RelayClusterProgram"]),
    .executable(name: "kairan-mount", targets: ["MountProgram"]),
]
let simulator: Product = .executable(name: "kairan-sim", targets: ["PeerSimulator"])
let otherProducts: [Product] = [
    .executable(name: "kairan", targets: ["ControlProgram"]),
    simulator,
    .library(name: "KairanClient", targets: ["KairanClient"]),
    .library(name: "KairanTesting", targets: ["KairanTesting"]),
]
let everything = pureTargets + outerTargets + besideTargets + [tutorial] + (withExamples ? examples : [])

// The packages that applications need for `KairanClient`. Those that only the daemon, the command line and the tests need depend on the
// trait `Daemon`, which is on by default: an application that turns it off resolves and fetches none of them.
let clientPackages = ["swift-nio"]
for target in everything {
    target.dependencies = target.dependencies.map { dependency in
        guard case .productItem(let name, let package?, let aliases, nil) = dependency,
            !clientPackages.contains(package)
        else { return dependency }
        return .product(name: name, package: package, moduleAliases: aliases, condition: .when(traits: ["Daemon"]))
    }
}

// The package as a variable of the environment asks for it; all of it without one.
let describedProducts: [Product]
let describedPackages: [Package.Dependency]
let describedTargets: [Target]
if pureOnly {
    describedProducts = []
    describedPackages = []
    describedTargets = pureTargets
} else if simulatorOnly {
    describedProducts = [simulator]
    describedPackages = [argumentParser]
    describedTargets = needed(by: ["PeerSimulator"], of: everything)
} else if programsOnly {
    describedProducts = programs + (withExamples ? exampleProducts : [])
    describedPackages = packages
    describedTargets = needed(by: ["DaemonProgram", "RelayClusterProgram", "MountProgram"], of: everything)
} else {
    describedProducts = programs + otherProducts + (withExamples ? exampleProducts : [])
    describedPackages = packages
    describedTargets = everything
}

let package = Package(
    name: "kairan",
    platforms: [.macOS(.v26)],
    products: describedProducts,
    traits: pureOnly
        ? []
        : [
            .default(enabledTraits: ["Daemon"]),
            .trait(
                name: "Daemon",
                description: "The daemon, the command line and the tests, with all packages that these need"
            ),
        ],
    dependencies: describedPackages,
    targets: describedTargets
)
