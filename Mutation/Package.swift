// swift-tools-version: 6.3
import PackageDescription

// The tool of `make mutation`: a package of its own, so that no build of the project needs a parser of Swift. It reads the sources of the
// project, and writes copies of them in which a mutant is selected when a test starts (docs/testing/mutation.md).
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "kairan-mutation",
    platforms: [.macOS(.v26)],
    products: [.executable(name: "kairan-mutate", targets: ["MutationTool"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        // Its major version is that of the compiler whose language it parses, or newer.
        .package(url: "https://github.com/swiftlang/swift-syntax", exact: "603.0.1"),
    ],
    targets: [
        .target(
            name: "Mutating",
            dependencies: [
                .product(name: "SwiftOperators", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "MutationTool",
            dependencies: ["Mutating", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict
        ),
        .testTarget(name: "MutatingTests", dependencies: ["Mutating"], swiftSettings: strict),
    ]
)
