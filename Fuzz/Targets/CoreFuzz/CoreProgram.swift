import FuzzKit

private let program = FuzzProgram(
    decoderTargets + [
        mergeTarget, merkleProofTarget, handshakeResponderTarget, handshakeInitiatorTarget, channelTarget,
        messagePartTarget, admissionTarget, accountLogTarget, pairingTextTarget, keyFileTarget, sealTarget,
        syncCoreTarget,
        peerDirectoryTarget,
        replicaTarget, capabilityTarget, capabilityChainTarget, controlLogTarget, positionTarget, queryTarget,
        sealedBodyTarget, epochTarget, messageRecordTarget, mailboxTarget,
    ]
)

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
