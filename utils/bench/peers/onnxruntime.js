// ONNX Runtime on the CPU.
//
//   onnxruntime.js MODULES MODEL THREADS RUNS [DUMP_FOLDER]
//
// MODULES is the folder with node_modules. Runs MODEL, whose input is `x`, two
// times to warm up where RUNS is more than 1, then RUNS times, and prints one
// line of JSON. With DUMP_FOLDER every output is written as raw bytes, those of
// each run into a folder of its own, as a dump is.
'use strict';

const fs = require('fs');
const path = require('path');
const {createRequire} = require('module');

const [modules, model, threads, runs, dumpFolder] = process.argv.slice(2);
const ort = createRequire(path.resolve(modules, 'main.js'))('onnxruntime-node');

// Images or the hidden states of 128 words, by the file's name.
const dims = path.basename(model).startsWith('resnet') ? [1, 3, 224, 224] :
                                                         [1, 128, 768];

function makeInput() {
  const size = dims.reduce((product, dim) => product * dim);
  if (path.basename(model).includes('fp16')) {
    // From 0.125 to 0.5.
    const bits = Uint16Array.from({length: size}, (_, i) => 0x3000 + i * 37 % 2048);
    return new ort.Tensor('float16', bits, dims);
  }
  return new ort.Tensor(
      'float32', Float32Array.from({length: size}, (_, i) => i * 37 % 64 / 64), dims);
}

function write(result, folder) {
  fs.mkdirSync(folder, {recursive: true});
  for (const [name, tensor] of Object.entries(result)) {
    const {buffer, byteOffset, byteLength} = tensor.data;
    fs.writeFileSync(path.join(folder, `${name}.bin`),
                     new Uint8Array(buffer, byteOffset, byteLength));
  }
}

async function main() {
  const session = await ort.InferenceSession.create(
      model, {intraOpNumThreads: Number(threads), interOpNumThreads: 1});
  const x = makeInput();
  const seconds = [];
  let outputs = 0, bytes = 0;
  for (let run = runs > 1 ? -2 : 0; run < runs; ++run) {
    const begin = performance.now();
    const result = await session.run({x});
    if (dumpFolder)
      write(result, path.join(dumpFolder, String(run)));
    if (run >= 0)
      seconds.push((performance.now() - begin) / 1000);
    outputs = Object.keys(result).length;
    bytes = Object.values(result).reduce((sum, t) => sum + t.data.byteLength, 0);
  }
  console.log(JSON.stringify({seconds, outputs, bytes}));
}

main().catch(error => {
  console.error(`onnxruntime.js: ${model}: ${error.message}`);
  process.exit(1);
});
