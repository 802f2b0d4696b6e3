import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';

/** In raw bytes: all of an answer that is not its body. Headers of interim answers count with the answer's. */
const maxHeaderBytes = 16 * 1024;
/** Besides: a chunk of a body has a line with its size. */
const sizeLineBytes = 20;
/** In one stretch, of the shortest lines: far fewer bytes than that make undici build as many headers as a server can say. */
const maxHeaderLines = 512;
/** What undici parses before anybody looks again: it does not stop where it finds fault, and makes an error of each line. */
const pieceBytes = 2 * 1024;
/** Of a body as large as it may be: chunks of a byte each would all be calls of ours. */
const meanChunkBytes = 100;
const lineFeed = 0x0a;
/** An answer that nobody asked for, which undici takes for the end of the connection. */
const isContinue = /^HTTP\/1\.[01] 100[ \r]/;
const statusEnd = 'HTTP/1.1 10'.length;

/** A server says more than an answer has to say, before its body, between its chunks or after it. */
export class OverlongAnswer extends Error {
  readonly code = 'OVERLONG_ANSWER';
}

interface MeteredOptions extends Client.Options {
  connect: buildConnector.connector;
  /** Of a body. */
  maxBytes: number;
}

/**
 * A client of servers that strangers run: an answer costs no more than its body is long, however it is made up. What of a body is not
 * read at once waits in memory, all of it.
 */
export class MeteredClient extends Client {
  readonly #meter: Meter;

  constructor(origin: string | URL, { connect, maxBytes, ...options }: MeteredOptions) {
    const meter = new Meter(Math.ceil(maxBytes / meanChunkBytes));
    super(origin, {
      ...options,
      // The meter is stricter.
      maxHeaderSize: 2 * maxHeaderBytes,
      connect: (target, callback) =>
        connect(target, (error, socket) => {
          if (error) return callback(error, null);
          meter.watch(socket);
          callback(null, socket);
        }),
    });
    this.#meter = meter;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const meter = this.#meter;
    const start = handler.onRequestStart?.bind(handler);
    const data = handler.onResponseData?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      meter.restart();
      // Of an answer that is paused undici loses the end when the server closes the connection.
      controller.pause = () => {};
      start?.(controller, context);
    };
    handler.onResponseData = (controller, chunk) => {
      meter.addChunk(chunk);
      data?.(controller, chunk);
    };
    return super.dispatch(options, handler);
  }
}

/** What a connection has brought of the answer under way. */
class Meter {
  readonly #maxChunks: number;
  #bytes = 0;
  #bodyBytes = 0;
  #chunks = 0;
  #headerLines = 0;

  constructor(maxChunks: number) {
    this.#maxChunks = maxChunks;
  }

  restart(): void {
    this.#bytes = 0;
    this.#bodyBytes = 0;
    this.#chunks = 0;
    this.#headerLines = 0;
  }

  addChunk(chunk: Buffer): void {
    this.#bodyBytes += chunk.length;
    this.#chunks += 1;
    this.#headerLines = 0;
  }

  /** Gives the parser one piece after the other, and nothing more of an answer that is too long. */
  watch(socket: Socket): void {
    const read = socket.read.bind(socket);
    socket.read = () => {
      const error = this.#fault();
      if (error) socket.destroy(error);
      if (socket.destroyed) return null;
      const piece: Buffer | null = read(Math.min(pieceBytes, socket.readableLength) || undefined);
      if (piece) this.#addPiece(piece);
      return piece;
    };
  }

  #addPiece(piece: Buffer): void {
    // As 102 it is passed over like every other interim answer.
    if (this.#bytes === 0 && isContinue.test(piece.toString('latin1', 0, statusEnd + 2))) piece.write('2', statusEnd);
    this.#bytes += piece.length;
    for (let at = piece.indexOf(lineFeed); at !== -1; at = piece.indexOf(lineFeed, at + 1)) this.#headerLines += 1;
  }

  #fault(): OverlongAnswer | undefined {
    if (this.#bytes - this.#bodyBytes > maxHeaderBytes + this.#chunks * sizeLineBytes)
      return new OverlongAnswer(`the headers of the answer are larger than ${maxHeaderBytes} bytes`);
    if (this.#headerLines > maxHeaderLines)
      return new OverlongAnswer(`the headers of the answer are more than ${maxHeaderLines} lines`);
    if (this.#chunks > this.#maxChunks)
      return new OverlongAnswer(`the answer comes in more than ${this.#maxChunks} chunks`);
    return undefined;
  }
}
