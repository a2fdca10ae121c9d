package import FuzzKit

/// The targets of the programs around it: what people, files and other programs write.
package let outerTargets: [FuzzTarget] = [
    discoveryTextTarget, discoveryStationTarget, addressTarget, jsonTarget, requestTarget, timeTarget, streamTarget,
    changeTokenTarget, configurationTarget, applicationTarget, nodeFileTarget,
]

#if KAIRAN_FUZZER
private let program = FuzzProgram(outerTargets)

/// Called by libFuzzer once, before anything else.
@_cdecl("LLVMFuzzerInitialize")
package func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> CInt {
    program.start()
    return 0
}

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
package func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    program.test(data, size)
}
#endif
