package import FuzzKit

/// The targets of the pure core.
package let coreTargets: [FuzzTarget] =
    decoderTargets + [
        mergeTarget, merkleProofTarget, handshakeResponderTarget, handshakeInitiatorTarget, channelTarget,
        messagePartTarget, admissionTarget, accountLogTarget, pairingTextTarget, keyFileTarget, sealTarget,
        syncCoreTarget,
        peerDirectoryTarget,
        replicaTarget, capabilityTarget, capabilityChainTarget, controlLogTarget, positionTarget, queryTarget,
        sealedBodyTarget, epochTarget, messageRecordTarget, mailboxTarget,
    ]

#if KAIRAN_FUZZER
private let program = FuzzProgram(coreTargets)

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
