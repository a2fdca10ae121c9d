import Glibc
package import NIOCore

/// Pauses a listening channel for a second when the system has no descriptor or no memory for a connection.
///
/// Otherwise the connection that it could not accept wakes the channel again at once, and a core is busy as long as
/// that lasts. A connection that was given up before it was accepted is ignored. Neither is reported to the later
/// handlers, some of which take any error for the end of the listener.
package final class AcceptPause: ChannelDuplexHandler {
    /// Accepted connections pass.
    package typealias InboundIn = any Channel
    /// Nothing is written to a listener.
    package typealias OutboundIn = any Channel

    /// The time that it waits.
    package static let pause = TimeAmount.seconds(1)

    private enum Phase {
        case accepting
        /// Nothing is accepted until the time is over.
        case waiting(readsByItself: Bool, Scheduled<Void>)
        /// It has begun to accept again, and it is not known yet whether there are descriptors.
        case trying(Scheduled<Void>)
        case closed
    }

    private let shortage: DescriptorShortage
    private var phase = Phase.accepting

    /// A handler for one listening channel; it comes before the one that accepts.
    /// - Parameter shortage: Notified when the channel waits.
    package init(_ shortage: DescriptorShortage) {
        self.shortage = shortage
    }

    /// Pauses after an error that another attempt may not meet, and passes on every other error.
    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (error as? IOError)?.errnoCode {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: wait(context)
        case ECONNABORTED: break
        default: context.fireErrorCaught(error)
        }
    }

    /// Reads, unless it waits.
    package func read(context: ChannelHandlerContext) {
        // The end of the wait reads.
        if case .waiting = phase { return }
        context.read()
    }

    /// Ends the pause, since the channel is closed.
    package func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    /// Ends the pause, since the handler is removed.
    package func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func wait(_ context: ChannelHandlerContext) {
        switch phase {
        case .waiting, .closed: return
        case .accepting: shortage.began()
        case .trying(let scheduled):
            scheduled.cancel()
            shortage.goesOn()
        }
        let readsByItself = stopReading(context.channel)
        let end = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { [self] in resume(context) }
        phase = .waiting(readsByItself: readsByItself, end)
    }

    /// The channel is still asked for a read, and only the option stops that.
    /// - Returns: Whether it reads by itself.
    private func stopReading(_ channel: any Channel) -> Bool {
        guard let options = channel.syncOptions, let readsByItself = try? options.getOption(.autoRead) else {
            return true
        }
        do {
            if !readsByItself { try options.setOption(.autoRead, value: true) }
            try options.setOption(.autoRead, value: false)
        } catch {
            // A channel that is closed does not read.
        }
        return readsByItself
    }

    private func resume(_ context: ChannelHandlerContext) {
        guard case .waiting(let readsByItself, _) = phase else { return }
        guard shortage.mayTry() else {
            let end = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { [self] in resume(context) }
            phase = .waiting(readsByItself: readsByItself, end)
            return
        }
        let end = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { [self] in
            guard case .trying = phase else { return }
            phase = .accepting
            shortage.ended()
        }
        phase = .trying(end)
        if readsByItself {
            // A channel that is closed does not read.
            try? context.channel.syncOptions?.setOption(.autoRead, value: true)
        } else {
            context.read()
        }
    }

    private func end() {
        switch phase {
        case .accepting, .closed: break
        case .waiting(_, let scheduled), .trying(let scheduled):
            scheduled.cancel()
            shortage.ended()
        }
        phase = .closed
    }
}

@available(*, unavailable)
extension AcceptPause: Sendable {}
