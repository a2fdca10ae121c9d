package import FuzzKit

/// The target of the database.
package let storeTargets: [FuzzTarget] = [databaseTarget]

#if KAIRAN_FUZZER
private let program = FuzzProgram(storeTargets)

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
